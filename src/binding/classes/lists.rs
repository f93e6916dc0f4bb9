//! `ToolRouter`: rankings of what is given in the call, and a listing of what is in scope.

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use super::router::ToolRouter;
use crate::binding::answers::lists::{ListedTool, Signatures, TextRanking};
use crate::binding::arguments;
use crate::binding::arguments::MAX_LIST;
use crate::binding::arguments::input::Reader;
use crate::binding::slices::{Later, elements, receive};
use crate::binding::worker::{on_worker, on_worker_or_reader};
use crate::error::Result;
use crate::router::ToolRouter as Core;
use crate::settings::MAX_K;

#[napi]
impl ToolRouter {
    /// Ranks tools that are given in the call, and answers provider names, best first; equal scores stand in the given order.
    ///
    /// @param taskText - what the user asked for
    /// @param scopedTools - the tools to choose from
    /// @param k - how many names, 0 to 1,000
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "taskText: string, scopedTools: ScopedTool[], k: number",
        ts_return_type = "Promise<string[]>"
    )]
    pub fn attach_initial<'env>(
        &self,
        env: &'env Env,
        task_text: Unknown<'env>,
        scoped_tools: Unknown<'env>,
        k: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        rank_list(
            env,
            [task_text, scoped_tools, k],
            ["attachInitial.taskText", "attachInitial.scopedTools", "attachInitial.k"],
            false,
        )
    }

    /// Like {@link ToolRouter.attachInitial}, without tools that nothing in the query matches.
    ///
    /// @param query - what the model asks for
    /// @param scopedTools - the tools to choose from
    /// @param k - how many names at most, 0 to 1,000
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "query: string, scopedTools: ScopedTool[], k: number",
        ts_return_type = "Promise<string[]>"
    )]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        query: Unknown<'env>,
        scoped_tools: Unknown<'env>,
        k: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        rank_list(env, [query, scoped_tools, k], ["search.query", "search.scopedTools", "search.k"], true)
    }

    /// Ranks texts of any kind that are given in the call, each with a name that counts as a tool's does. The same texts
    /// given again cost no new index.
    ///
    /// @param query - what a user or model asks for; 32 KiB of it are read
    /// @param texts - the texts, each of at most 256 KiB, with distinct names of 1 to 512 bytes
    /// @param options - see {@link RankOptions}; `topK` is by default all of them, at most 1,000
    /// @returns all texts or the best `topK`, best first
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    /// @internal
    #[napi(
        catch_unwind,
        ts_args_type = "query: string, texts: { name: string; text: string }[], options?: Omit<RankOptions, 'hostMode' | 'servers'>",
        ts_return_type = "Promise<TextRanking>"
    )]
    pub fn rank_texts<'env>(
        &self,
        env: &'env Env,
        query: Unknown<'env>,
        texts: Unknown<'env>,
        options: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let query = reader.root(query, "rankTexts.query").text()?;
            let texts = arguments::ranking::named_texts(&reader.root(texts, "rankTexts.texts"))?;
            let options = arguments::ranking::text_options(&reader.root(options, "rankTexts"))?;
            Ok(move |core: &Core| Ok(TextRanking::from(core.rank_texts(&query, texts, &options, "rankTexts.texts")?)))
        })
    }

    /// Lists the tools in scope, in catalogue order. Nothing is ranked.
    ///
    /// @param options - the scope; `withOff` lists tools that the configuration keeps off, too
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "options?: InScope & { withOff?: boolean }", ts_return_type = "Promise<ListedTool[]>")]
    pub fn list_tools<'env>(&self, env: &'env Env, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let (options, with_off) = arguments::ranking::list_options(&Reader::new(env)?.root(options, "listTools"))?;
            self.core.check_host_mode(&options, "listTools.hostMode")?;
            Ok(move |core: &Core| Ok(core.list_tools(&options, with_off)?.into_iter().map(ListedTool::from).collect::<Vec<_>>()))
        })
    }

    /// Signatures of the tools in scope: each tool as a line of TypeScript, in a fifth to a tenth of the tokens of its definition. No
    /// required parameter is left out, and enums are whole up to 24 values; what is left out is marked with `…`, except for
    /// bounds, patterns, formats, defaults and the descriptions of parameters, which a type cannot say.
    ///
    /// @param options - the scope; `names`: only these tools, in this order, by provider names or names of tools with or without their
    /// server's; `optional`: whether optional parameters are shown, by default true, otherwise `…` stands for them
    /// @throws {ToolRouterError} `ERR_TOOL_NOT_FOUND` for a name that no tool in scope has; `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    /// @example
    /// ```ts
    /// const router = ToolRouter.shared()
    /// const inputSchema = { properties: { id: { type: 'string' }, days: { type: 'number' } }, required: ['id'] }
    /// await router.setServer({ name: 'shop', tools: [{ name: 'find_order', description: 'Finds an order.', inputSchema }] })
    /// const { text, tools } = await router.signatures({ names: ['find_order'] })
    /// console.log(tools[0].signature) // find_order: {id: string, days?: number} // Finds an order
    /// console.log(text.startsWith('interface shop {')) // true
    /// ```
    /// @internal
    #[napi(
        catch_unwind,
        ts_args_type = "options?: InScope & { names?: string[]; optional?: boolean }",
        ts_return_type = "Promise<Signatures>"
    )]
    pub fn signatures<'env>(&self, env: &'env Env, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let (options, names, shown) = arguments::ranking::signature_options(&Reader::new(env)?.root(options, "signatures"))?;
            self.core.check_host_mode(&options, "signatures.hostMode")?;
            Ok(move |core: &Core| Ok(Signatures::from(core.signatures(&options, names.as_deref(), shown)?)))
        })
    }
}

fn rank_list<'env>(
    env: &'env Env,
    args: [Unknown<'env>; 3],
    names: [&'static str; 3],
    supported_only: bool,
) -> napi::Result<Object<'env>> {
    let ([query, tools, k], [query_name, tools_name, k_name]) = (args, names);
    on_worker_or_reader(env, true, || {
        let reader = Reader::new(env)?;
        let query = reader.root(query, query_name).text()?;
        let later = Later::new();
        let mut tools = elements(&reader.root(tools, tools_name), MAX_LIST, &later, arguments::ranking::scoped_tool)?;
        let k = reader.root(k, k_name).count(0, MAX_K)?;
        let is_late = later.count() > 0;
        let late = later.begin(env)?;
        let rank = move |core: &Core| {
            tools.extend(receive(late)?.into_iter().collect::<Result<Vec<_>>>()?);
            core.rank_list(&query, arguments::ranking::scoped_tools(tools), k, supported_only, tools_name)
        };
        Ok((is_late, rank))
    })
}
