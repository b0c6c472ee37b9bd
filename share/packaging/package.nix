# nix-build -E 'with import <nixpkgs> {}; callPackage ./package.nix {}'
{ stdenv, lib, fetchurl, meson, ninja, pkg-config, python3, isa-l, libiberty, lz4, ncurses, pcre2, sqlite, xz, zlib, zstd }:

stdenv.mkDerivation {
  pname = "heft";
  version = "@VERSION@";
  src = fetchurl {
    url = "@URL@/heft-@VERSION@.tar.xz";
    sha256 = "@SHA256@";
  };
  nativeBuildInputs = [ meson ninja pkg-config python3 ];
  buildInputs = [ isa-l libiberty lz4 ncurses pcre2 sqlite xz zlib zstd ];
  # Libraries are where the linker finds them, not in a folder of the system.
  mesonFlags = [ "-Dtests=false" "-Don_demand=disabled" ];
  meta = {
    description = "Tells where every byte of a native program goes";
    license = lib.licenses.asl20;
    platforms = lib.platforms.linux;
    mainProgram = "heft";
  };
}
