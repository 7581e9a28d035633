"""An MCP server by raw JSON-RPC over stdio, with the standard library alone: what it says is not what an SDK would say."""
import base64, json, sys

TEXT = "ä 漢 😀 \u0000 \u2028 \ud800 </script> \\u0041"
BYTES = base64.b64encode(bytes(range(256))).decode()
OBJECT = {"type": "object"}
POINT = {
    "type": "object",
    "properties": {"b": {"$ref": "#/$defs/n"}, "a": {"$ref": "#/$defs/n"}},
    "required": ["b"],
    "$defs": {"n": {"type": ["number", "null"]}},
}
RESULTS = {
    "text": {"content": [{"type": "text", "text": TEXT, "_meta": {"b": 1, "a": [None, {}]}}, {"type": "text", "text": ""}]},
    "media": {
        "content": [
            {"type": "image", "data": BYTES, "mimeType": "image/png", "annotations": {"audience": ["user"], "priority": 0.5}},
            {"type": "audio", "data": BYTES, "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "x://1", "blob": BYTES, "mimeType": "a/b", "unknown": True}},
            {"type": "resource_link", "uri": "x://2", "name": "two", "size": 2**53 - 1},
            {"type": "x-chart", "points": [[0, 1.5], [1e-7, -0.25]]},
        ]
    },
    "structured": {
        "content": [],
        "structuredContent": {"b": 1e21, "a": None, "10": 0.1, "2": {"__proto__": {"x": 1}, "": False}},
        "unknown": {"kept": [1, [2]]},
        "_meta": {"of": "the server"},
    },
    "failed": {"content": [{"type": "text", "text": "It failed."}], "isError": True, "structuredContent": {"error": 7}},
    "bare": {},
}
TOOLS = [{"name": name, "inputSchema": OBJECT} for name in [*RESULTS, "refused"]]
TOOLS[0] |= {"title": TEXT, "description": TEXT, "icons": [{"src": "data:,x", "sizes": ["any"]}], "x-unknown": {"b": 1, "a": 2}}
TOOLS[1] |= {"annotations": {"readOnlyHint": True, "x-hint": 1}, "_meta": {"own": {"b": [1], "a": None}}}
TOOLS[2] |= {"inputSchema": POINT | {"additionalProperties": False, "x-order": [3, 1]}, "outputSchema": POINT}


def answer(method, params):
    if method == "initialize":
        info = {"name": "raw-python", "version": "1"}
        return {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}}
    if method == "tools/list":
        return {"result": {"tools": TOOLS}}
    if method == "tools/call" and params["name"] in RESULTS:
        return {"result": RESULTS[params["name"]]}
    return {"error": {"code": -32055, "message": f"{method} is refused: {TEXT}", "data": {"b": 1, "a": TEXT}}}


for message in map(json.loads, sys.stdin):
    if "method" in message and "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer(message["method"], message.get("params"))}), flush=True)
