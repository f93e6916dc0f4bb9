"""The adapters with the frameworks' own fake models, over a real gateway and a real server.

`npm run test:python` sets TOOL_ROUTER_CONFIG, a configuration, and TOOL_ROUTER_CLI, the command of the gateway.
"""

import json
import os
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from zoo_tool_router import Gateway, LangChainMiddleware, pydantic_search, pydantic_toolset

WANTED = "mcp--memory--create_entities"


def calls(person):
    """What the model calls, whatever it is sent: it loads a tool, calls it wrongly, calls it rightly."""
    entities = [{"name": person, "entityType": "person", "observations": ["likes tea"]}]
    return [("mcp_load", {"query": WANTED}), (WANTED, {"entities": person}), (WANTED, {"entities": entities})]


def gateway(config=os.environ["TOOL_ROUTER_CONFIG"]):
    return Gateway(config, command=json.loads(os.environ["TOOL_ROUTER_CLI"]), env=dict(os.environ))


class Adapters(unittest.IsolatedAsyncioTestCase):
    def holds(self, seen, answers):
        self.assertNotIn(WANTED, seen[0])
        self.assertIn(WANTED, seen[1])
        for before, after in zip(seen, seen[1:]):
            self.assertEqual(after[: len(before)], before, "tools are only added behind those that are there")
        self.assertIn(WANTED, answers[0])
        self.assertIn("entities", answers[1])
        self.assertIn("likes tea", answers[2])

    async def test_a_list_without_tools_ends(self):
        with TemporaryDirectory() as folder:
            config = Path(folder, "mcp.json")
            config.write_text('{"mcpServers": {}, "gateway": {"metaTools": []}}')
            async with gateway(config) as opened:
                self.assertEqual(await opened.tools(), [])

    async def test_why_a_gateway_does_not_start_is_in_the_exception(self):
        with self.assertRaisesRegex(ConnectionError, "/nowhere/mcp.json; check the path"):
            async with gateway("/nowhere/mcp.json"):
                pass

    async def test_langchain(self):
        from langchain.agents import create_agent
        from langchain_core.language_models import GenericFakeChatModel
        from langchain_core.messages import AIMessage, ToolMessage

        seen = []

        class Model(GenericFakeChatModel):
            def bind_tools(self, tools, **more):
                seen.append([tool["function"]["name"] for tool in tools])
                return self

        said = [
            AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call_{at}"}]) for at, (name, args) in enumerate(calls("Ada"))
        ]
        async with gateway() as opened:
            model = Model(messages=iter([*said, AIMessage("Done.")]))
            agent = create_agent(model, middleware=[LangChainMiddleware(opened)])
            result = await agent.ainvoke({"messages": [("user", "remember that Ada likes tea")]})
        answers = [message.content for message in result["messages"] if isinstance(message, ToolMessage)]
        self.holds(seen, answers)

    async def test_pydantic_ai(self):
        from pydantic_ai import Agent
        from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
        from pydantic_ai.models.function import FunctionModel

        seen, script = [], calls("Grace")

        def model(messages, info):
            seen.append([tool.name for tool in info.function_tools])
            if len(seen) > len(script):
                return ModelResponse([TextPart("Done.")])
            return ModelResponse([ToolCallPart(*script[len(seen) - 1])])

        async with gateway() as opened:
            agent = Agent(FunctionModel(model), toolsets=[pydantic_toolset(opened)])
            result = await agent.run("remember that Ada likes tea")
        parts = [part for message in result.all_messages() for part in message.parts]
        self.holds(seen, [str(part.content) for part in parts if isinstance(part, ToolReturnPart)])

    async def test_pydantic_tool_search(self):
        from pydantic_ai.tools import ToolDefinition

        tools = [ToolDefinition(name=name) for name in ("memory_create_entities", "memory_read_graph", "mail_send")]
        async with gateway() as opened:
            found = await pydantic_search(opened)(None, ["remember that Ada likes tea", WANTED], tools)
        self.assertIn("memory_create_entities", found)
        self.assertNotIn("mail_send", found)


if __name__ == "__main__":
    unittest.main()
