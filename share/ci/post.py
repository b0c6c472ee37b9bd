"""Posts a text as the one comment of its kind on a pull request: a comment that begins with the same line is replaced,
and taken away where the text is empty.  Python's own library is enough.

usage: post.py github|gitlab FIRST_LINE FILE

The forge tells the rest by its own variables.  Of GitHub: GITHUB_API_URL, GITHUB_REPOSITORY, HEFT_TOKEN, and HEFT_PR (the
number) or, in the second stage for forks, HEFT_HEAD ("owner:branch") and HEFT_SHA, from which the number is looked up.  Of
GitLab: CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID, HEFT_TOKEN.
"""
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

MOST = 60000  # characters of a comment; GitHub takes 65,536
PAGE = 100


class Forge:
    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method, headers=self.headers)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def pages(self, path):
        number = 1
        while True:
            page = self.ask("GET", f"{path}?per_page={PAGE}&page={number}")
            yield from page
            if len(page) < PAGE:
                return
            number += 1


class GitHub(Forge):
    update = "PATCH"

    def __init__(self, env):
        self.url = env.get("GITHUB_API_URL") or "https://api.github.com"
        self.headers = {"Authorization": "Bearer " + env["HEFT_TOKEN"], "Accept": "application/vnd.github+json"}
        self.repo = "/repos/" + env["GITHUB_REPOSITORY"]
        number = env.get("HEFT_PR") or self.find(env["HEFT_HEAD"], env["HEFT_SHA"])
        self.comments = f"{self.repo}/issues/{int(number)}/comments"
        self.poster = env.get("HEFT_POSTER") or "github-actions[bot]"

    def find(self, head, sha):
        """The open pull request whose branch is at this commit: what its own run says of it is not believed."""
        found = self.ask("GET", f"{self.repo}/pulls?state=open&head={urllib.parse.quote(head)}")
        numbers = [p["number"] for p in found if p["head"]["sha"] == sha]
        if not numbers:
            raise SystemExit(f"post.py: no open pull request of {head} is at {sha}")
        return numbers[0]

    def is_ours(self, comment):
        return comment["user"]["login"] == self.poster

    def path_of(self, comment):
        return f"{self.repo}/issues/comments/{comment['id']}"


class GitLab(Forge):
    update = "PUT"

    def __init__(self, env):
        self.url = env["CI_API_V4_URL"]
        self.headers = {"PRIVATE-TOKEN": env["HEFT_TOKEN"]}
        project = urllib.parse.quote(env["CI_PROJECT_ID"], safe="")
        self.comments = f"/projects/{project}/merge_requests/{int(env['CI_MERGE_REQUEST_IID'])}/notes"
        self.poster = self.ask("GET", "/user")["id"]

    def is_ours(self, comment):
        return comment["author"]["id"] == self.poster

    def path_of(self, comment):
        return f"{self.comments}/{comment['id']}"


def shortened(text):
    """Without what is folded up where it is too long."""
    if len(text) <= MOST:
        return text
    return text[:MOST].split("<details>")[0] + "\nThe details are too long for a comment.\n"


def post(forge, first_line, text):
    found = [c for c in forge.pages(forge.comments) if c["body"].startswith(first_line) and forge.is_ours(c)]
    for comment in found if not text else found[1:]:
        forge.ask("DELETE", forge.path_of(comment))
    if not text:
        return "taken away" if found else "nothing to say"
    if found:
        forge.ask(forge.update, forge.path_of(found[0]), {"body": shortened(text)})
        return "replaced"
    forge.ask("POST", forge.comments, {"body": shortened(text)})
    return "posted"


def main():
    forges = {"github": GitHub, "gitlab": GitLab}
    if len(sys.argv) != 4 or sys.argv[1] not in forges or not sys.argv[2]:
        sys.exit(__doc__.split("\n\n")[1])
    with open(sys.argv[3], encoding="utf-8", errors="replace") as file:
        text = file.read()
    try:
        print("heft-ci: comment:", post(forges[sys.argv[1]](os.environ), sys.argv[2], text), file=sys.stderr)
    except urllib.error.HTTPError as error:
        sys.exit(f"post.py: {error.url.split('?')[0]}: {error.code} {error.reason}")
    except (urllib.error.URLError, TimeoutError) as error:
        sys.exit(f"post.py: the forge does not answer: {error}")
    except KeyError as error:
        sys.exit(f"post.py: {error.args[0]} is not set")


main()
