"""Three tests of a program in another language, written from `agent-platform-sdk fake --help` alone.

FAKE_URL is where the fake listens; FAKE_TOKEN is AGENT_PLATFORM_TOKEN of what it prints. With ASK_BY=curl, curl sends the requests.
"""

import json
import os
import subprocess
import unittest
import urllib.error
import urllib.request

URL = os.environ["FAKE_URL"]
TOKEN = os.environ["FAKE_TOKEN"]


def ask(method, path, body=None, token=None):
    headers = {"content-type": "application/json"}
    if token is not None:
        headers["authorization"] = "Bearer " + token
    data = None if body is None else json.dumps(body).encode()
    if os.environ.get("ASK_BY") == "curl":
        return ask_by_curl(method, URL + path, headers, data)
    request = urllib.request.Request(URL + path, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def ask_by_curl(method, url, headers, data):
    command = ["curl", "--silent", "--write-out", "\n%{http_code}", "--request", method, url]
    for name, value in headers.items():
        command += ["--header", name + ": " + value]
    if data is not None:
        command += ["--data", data.decode()]
    answer, status = subprocess.run(command, capture_output=True, check=True, text=True).stdout.rsplit("\n", 1)
    return int(status), json.loads(answer)


def tool_name(tool_id):
    """The program under test: the name of a tool, or None where there is none; one more attempt after a 503."""
    for _ in range(2):
        status, body = ask("GET", "/eu/v3/tools/" + tool_id, token=TOKEN)
        if status != 503:
            break
    return body["data"]["name"] if status == 200 else None


class TheProgram(unittest.TestCase):
    def setUp(self):
        status, _ = ask("POST", "/_fake/reset", {})
        self.assertEqual(status, 200)

    def test_finds_a_tool_that_was_added(self):
        ask("POST", "/_fake/records/eu/tools", {"id": "crm", "name": "CRM", "agentId": "agent_eu_1"})
        self.assertEqual(tool_name("crm"), "CRM")

    def test_finds_no_tool_of_another_test(self):
        self.assertIsNone(tool_name("crm"))
        _, tools = ask("GET", "/_fake/records/eu/tools")
        self.assertEqual(len(tools["records"]), 1)

    def test_tries_again_when_the_service_is_away(self):
        ask("POST", "/_fake/faults", {"endpoint": "getTool", "status": 503, "times": 1})
        self.assertEqual(tool_name("tool_eu_1"), "find_invoice")
        _, told = ask("GET", "/_fake/requests")
        self.assertEqual([request["status"] for request in told["requests"]], [503, 200])


if __name__ == "__main__":
    unittest.main()
