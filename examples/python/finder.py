"""A retrieval agent as a service, with Python's standard library alone: python3 finder.py PORT"""

import hashlib
import json
import os
import sys
import uuid
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RECORDS = {"rec:1": {"id": "rec:1", "title": "Tidal data at Cuxhaven", "height_m": 1.5}}
CANONICALISATION = "dd-json-document-v1"


def hash_of(document):
    """SHA-256 over the canonical bytes: keys sorted, no white space, UTF-8, numbers as they were read."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def class_schema(name, required, properties):
    schema = {
        "type": "object",
        "required": ["schema_class", *required],
        "properties": {"schema_class": {"enum": [name]}, **properties},
    }
    return {"digest": hash_of(schema), "json_schema": schema}


SPECIFICATION = {
    "agent_id": "example.pyfinder",
    "version": "1.0.0",
    "description": "Finds the record that a question names.",
    "action_class": "recommend",
    "accepts": ["Question"],
    "grounding_mode": "retrieval",
    "payload": "Found",
    "derivations": {},
    "contract_version": "0.7.0",
    "schemas": {
        "Question": class_schema("Question", ["record"], {"record": {"type": "string"}}),
        "Found": class_schema("Found", ["grounded_on"], {"grounded_on": {"type": "array"}}),
    },
}


def card(address):
    return {
        "name": SPECIFICATION["agent_id"],
        "description": SPECIFICATION["description"],
        "version": SPECIFICATION["version"],
        "supportedInterfaces": [{"url": f"{address}/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "capabilities": {
            "extensions": [
                {"uri": "https://w3id.org/data-director/a2a/agent-spec/v0", "required": False, "params": SPECIFICATION}
            ]
        },
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [{"id": "run", "name": "run", "description": "Answers one request.", "tags": ["agent"]}],
    }


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def span(traceparent, name, started, attributes):
    """One finished span in the caller's trace, below the caller's span, as the text that goes into spans.jsonl."""
    _, trace_id, parent_id, _ = traceparent.split("-")
    return json.dumps({
        "name": name,
        "context": {"trace_id": f"0x{trace_id}", "span_id": f"0x{os.urandom(8).hex()}", "trace_state": "[]"},
        "kind": "SpanKind.INTERNAL",
        "parent_id": f"0x{parent_id}",
        "start_time": started,
        "end_time": now(),
        "status": {"status_code": "UNSET"},
        "attributes": {"dd.operation": name, **attributes},
        "events": [],
        "links": [],
        "resource": {"attributes": {}, "schema_url": ""},
    })


def run(request, metadata):
    """What the agent answers: the result, and the spans of what it did."""
    started = now()
    record = RECORDS.get(request["input"]["record"])
    if record is None:
        outcome = {"status": "abstained", "statement": "There is no such record.", "reason_code": "no_qualifying_resource"}
        return {"result": {"outcome": outcome, "evidence": []}, "spans": []}
    cited = {"source_id": record["id"], "content_hash": hash_of(record)}
    read = span(metadata["traceparent"], "retrieval", started, {f"dd.{key}": value for key, value in cited.items()})
    evidence = {
        **cited,
        "hash_algorithm": "sha256",
        "canonicalisation": CANONICALISATION,
        "snapshot_ref": "records-1",
        "content": record,
    }
    return {
        "result": {
            "outcome": {"status": "succeeded", "statement": "One record fits."},
            "payload": {"schema_class": "Found", "grounded_on": [cited]},
            "evidence": [evidence],
        },
        "spans": [read],
    }


def answer(call):
    message = call["params"]["message"]
    task = {"id": str(uuid.uuid4()), "contextId": str(uuid.uuid4())}
    try:
        data = run(message["parts"][0]["data"], message["metadata"])
        task["status"] = {"state": "TASK_STATE_COMPLETED", "timestamp": now()}
        task["artifacts"] = [{"artifactId": str(uuid.uuid4()), "name": "agent-result", "parts": [{"data": data}]}]
    except Exception as error:  # a failure is told in one line, never as a stack trace
        said = {"messageId": str(uuid.uuid4()), "role": "ROLE_AGENT", "parts": [{"data": {"error": str(error)}}]}
        task["status"] = {"state": "TASK_STATE_FAILED", "timestamp": now(), "message": said}
    return {"jsonrpc": "2.0", "id": call["id"], "result": {"task": task}}


class Door(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/.well-known/agent-card.json":
            return self.send_error(404)
        self.reply(card(f"http://{self.headers['Host']}"))

    def do_POST(self):
        if self.path != "/a2a":
            return self.send_error(404)
        self.reply(answer(json.loads(self.rfile.read(int(self.headers["Content-Length"])))))

    def reply(self, document):
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Door).serve_forever()
