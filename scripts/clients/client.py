"""One client of the official Python SDK, 1.x or 2.x, through the gateway: lists, loads, calls, and is asked.

    client.py <stdio|http> <auto|legacy> <command or url> [arguments or token]

Prints one JSON object with what it has seen. The mode is that of 2.x; 1.x knows the older era alone.
"""

import asyncio
import json
import sys
from importlib.metadata import version

SDK = version("mcp")
IS_OLD = SDK.startswith("1.")
WHERE, MODE, TARGET, *REST = sys.argv[1:]


async def answer(context, params):
    from mcp.types import ElicitResult

    return ElicitResult(action="accept", content={"value": "blue"})


def text_of(result):
    return result.content[0].text


async def play(client, protocol):
    """What is tried, in either version: the methods have the same names."""
    first = [tool.name for tool in (await client.list_tools()).tools]
    loaded = json.loads(text_of(await client.call_tool("mcp_load", {"query": "mcp--everything--get-sum, mcp--asking--ask_user"})))
    after = [tool.name for tool in (await client.list_tools()).tools]

    async def use(name, arguments):
        if name in after:
            return await client.call_tool(name, arguments)
        return await client.call_tool("call_tool", {"name": name, "arguments": arguments})

    return {
        "sdk": SDK,
        "protocol": protocol,
        "first": first,
        "loaded": [tool["name"] for tool in loaded["loaded"]],
        "after": after,
        "sum": text_of(await use("mcp--everything--get-sum", {"a": 2, "b": 3})),
        "asked": text_of(await use("mcp--asking--ask_user", {})),
        "unknown": text_of(await client.call_tool("call_tool", {"name": "nothing", "arguments": {}})),
    }


async def old(streams):
    from mcp import ClientSession

    async with streams as (read, write, *_), ClientSession(read, write, elicitation_callback=answer) as client:
        hello = await client.initialize()
        return await play(client, hello.protocolVersion)


async def new(server):
    from mcp import Client

    async with Client(server, mode=MODE, elicitation_callback=answer) as client:
        return await play(client, client.protocol_version)


async def main():
    if WHERE == "stdio":
        from mcp import StdioServerParameters
        from mcp.client.stdio import stdio_client

        server = StdioServerParameters(command=TARGET, args=REST)
        return await (old(stdio_client(server)) if IS_OLD else new(server))
    headers = {"Authorization": f"Bearer {REST[0]}"}
    if IS_OLD:
        from mcp.client.streamable_http import streamablehttp_client

        return await old(streamablehttp_client(TARGET, headers=headers))
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async with httpx2.AsyncClient(headers=headers, timeout=60) as http_client:
        return await new(streamable_http_client(TARGET, http_client=http_client))


print(json.dumps(asyncio.run(main())))
