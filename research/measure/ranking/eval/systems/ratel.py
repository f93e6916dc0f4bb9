# Ranks with Ratel for ratel.mjs. Each line of standard input is JSON: {"tools": [...]} replaces the catalogue, {"query",
# "count"} is answered with [[id, score], ...].

import json
import sys

from ratel_ai import ToolRegistry

registry = ToolRegistry()
for line in sys.stdin:
    asked = json.loads(line)
    if "tools" in asked:
        registry = ToolRegistry()
        for tool in asked["tools"]:
            registry.register(tool["id"], tool["name"], tool["description"], tool["inputSchema"], tool["outputSchema"])
        answer = len(asked["tools"])
    else:
        answer = [[hit.tool_id, hit.score] for hit in registry.search(asked["query"], asked["count"])]
    print(json.dumps(answer), flush=True)
