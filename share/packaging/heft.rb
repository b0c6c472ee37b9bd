# Homebrew on Linux: the program that needs no library.
class Heft < Formula
  desc "Tells where every byte of a native program goes"
  version "@VERSION@"
  url "@URL@/heft-@VERSION@-linux-@MACHINE@.tar.xz"
  sha256 "@LINUX_SHA256@"
  license "Apache-2.0"
  depends_on :linux

  def install
    bin.install "heft"
    man1.install Dir["*.1"]
    bash_completion.install "completions/heft.bash" => "heft"
    fish_completion.install "completions/heft.fish"
    zsh_completion.install "completions/_heft"
  end

  test do
    assert_match "TOTAL", shell_output("#{bin}/heft size #{bin}/heft")
  end
end
