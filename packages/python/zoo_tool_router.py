"""The gateway of @zoo-code/tool-router from Python: one process and one session for one task.

    async with Gateway("mcp.json") as gateway:
        agent = create_agent(model, middleware=[LangChainMiddleware(gateway)])   # LangChain
        agent = Agent(model, toolsets=[pydantic_toolset(gateway)])               # Pydantic AI

Needs Node.js 20 or later. A framework is imported where it is used.
"""

import json
import os
import re
import sys
from collections import deque
from contextlib import AsyncExitStack
from threading import Thread

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

NPX = ["npx", "-y", "@zoo-code/tool-router-gateway"]


class _Log:
    """What the gateway says on its standard error: passed on, and the end of it kept to say why it has ended."""

    def __init__(self):
        read, write = os.pipe()
        self.file = os.fdopen(write, "w")
        self._said = deque(maxlen=20)
        self._thread = Thread(target=self._pass_on, args=(os.fdopen(read, errors="replace"),), daemon=True)
        self._thread.start()

    def _pass_on(self, lines):
        with lines:
            for line in lines:
                self._said.append(line)
                sys.stderr.write(line)

    def close(self):
        """The last lines, once nobody writes any more."""
        self.file.close()
        self._thread.join(5)
        return "".join(self._said).strip()


class Gateway:
    """A gateway that runs as long as the block. Its list of tools grows when the model calls `mcp_load`."""

    def __init__(self, config, command=NPX, env=None):
        command, *arguments = [*command, "gateway", "--config", str(config)]
        self._server = StdioServerParameters(command=command, args=arguments, env=env)
        self._tools, self._changes, self._listed = [], 0, -1

    async def __aenter__(self):
        self._stack, self._log = AsyncExitStack(), _Log()
        try:
            streams = await self._stack.enter_async_context(stdio_client(self._server, errlog=self._log.file))
            self.session = await self._stack.enter_async_context(ClientSession(*streams, message_handler=self._hear))
            await self.session.initialize()
        except BaseException as problem:
            await self._stack.aclose()
            said = self._log.close()
            if said and isinstance(problem, Exception):
                raise ConnectionError(f"the gateway has not started: {said}") from problem
            raise
        return self

    async def __aexit__(self, *problem):
        try:
            return await self._stack.__aexit__(*problem)
        finally:
            self._log.close()

    async def _hear(self, message):
        """Servers may change their lists at any time."""
        if getattr(getattr(message, "root", None), "method", None) == "notifications/tools/list_changed":
            self._changes += 1

    async def tools(self):
        """The tools that the model should be sent now, as MCP describes them: kept until the list has changed."""
        while self._listed != self._changes:
            changes, page = self._changes, await self.session.list_tools()
            tools = page.tools
            while page.nextCursor:
                page = await self.session.list_tools(page.nextCursor)
                tools = tools + page.tools
            self._tools, self._listed = tools, changes
        return self._tools

    async def call(self, name, arguments):
        """Calls a tool of the gateway or of a server behind it: the text of its answer."""
        result = await self.session.call_tool(name, arguments)
        if name in ("mcp_load", "manage_modules", "select_mode"):
            self._changes += 1
        return "\n".join(getattr(part, "text", f"({part.type})") for part in result.content)

    async def search(self, query):
        """Attaches the best tools for a need: their names, those that were attached before too."""
        answer = json.loads(await self.call("mcp_load", {"query": query}))
        return [tool["name"] for tool in answer.get("loaded", [])] + answer.get("alreadyAttached", [])


def LangChainMiddleware(gateway):  # noqa: N802
    """Middleware for `create_agent` of LangChain: each request has the agent's own tools, then those of the gateway."""
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import ToolMessage

    class ToolRouter(AgentMiddleware):
        def wrap_model_call(self, request, handler):
            # The gateway answers in the event loop that a synchronous call holds up.
            raise RuntimeError("LangChainMiddleware: expected ainvoke or astream, got a synchronous call of the agent")

        async def awrap_model_call(self, request, handler):
            functions = [
                {"name": tool.name, "description": tool.description or "", "parameters": tool.inputSchema}
                for tool in await gateway.tools()
            ]
            definitions = [{"type": "function", "function": function} for function in functions]
            return await handler(request.override(tools=[*request.tools, *definitions]))

        async def awrap_tool_call(self, request, handler):
            call = request.tool_call
            if request.tool is not None:
                return await handler(request)
            answer = await gateway.call(call["name"], call["args"])
            return ToolMessage(answer, tool_call_id=call["id"], name=call["name"])

    return ToolRouter()


def pydantic_toolset(gateway):
    """A toolset for `Agent` of Pydantic AI: in each step it has what the gateway lists then."""
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets.abstract import AbstractToolset, ToolsetTool
    from pydantic_core import SchemaValidator, core_schema

    # The server checks arguments, and its answer is for the model.
    anything = SchemaValidator(core_schema.any_schema())

    class ToolRouter(AbstractToolset):
        id = "tool_router"

        async def get_tools(self, ctx):
            return {
                tool.name: ToolsetTool(
                    toolset=self,
                    tool_def=ToolDefinition(
                        name=tool.name, description=tool.description, parameters_json_schema=tool.inputSchema
                    ),
                    max_retries=1,
                    args_validator=anything,
                )
                for tool in await gateway.tools()
            }

        async def call_tool(self, name, tool_args, ctx, tool):
            return await gateway.call(name, tool_args)

    return ToolRouter()


def pydantic_search(gateway):
    """A strategy for `ToolSearch` of Pydantic AI, over deferred toolsets of the same servers: `ToolSearch(strategy=...)`.

    A tool is found under the name `server_tool` that a prefixed toolset gives it.
    """

    def plain(name):
        return re.sub(r"[^a-z0-9]+", "_", name.lower().removeprefix("mcp--"))

    async def search(ctx, queries, tools):
        known = {plain(tool.name): tool.name for tool in tools}
        found = [plain(name) for query in queries for name in await gateway.search(query)]
        return list(dict.fromkeys(known[name] for name in found if name in known))

    return search
