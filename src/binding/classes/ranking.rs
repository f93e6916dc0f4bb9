//! `ToolRouter`: rankings of tools in scope, and what gives a tool its rank.

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use super::router::ToolRouter;
use crate::binding::answers::ranking::{Explanation, Ranking};
use crate::binding::arguments;
use crate::binding::arguments::input::Reader;
use crate::binding::worker::{on_ranker, on_worker};
use crate::router::{Snapshot, ToolRouter as Core};

#[napi]
impl ToolRouter {
    /// Ranks the tools in scope for a query. Costs about 0.4 ms for 3,500 tools, and 5 to 20 ms more for the query's vector.
    ///
    /// @param query - what a user or model asks for; 32 KiB of it are read
    /// @param options - see {@link RankOptions}
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "query: string, options?: RankOptions", ts_return_type = "Promise<Ranking>")]
    pub fn rank<'env>(&self, env: &'env Env, query: Unknown<'env>, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_ranker(env, || {
            let reader = Reader::new(env)?;
            let query = reader.root(query, "rank.query").text()?;
            let options = arguments::ranking::rank_options(&reader.root(options, "rank"))?;
            self.core.check_host_mode(&options, "rank.hostMode")?;
            let ranker = options.ranker;
            let rank = move |core: &Core, snapshot: &Snapshot| Ok(Ranking::from(core.rank_in(snapshot, &query, &options)?));
            Ok((ranker, rank))
        })
    }

    /// What evidence is read off, as JSON text by name: for the script that sets the measure.
    #[napi(catch_unwind, skip_typescript, js_name = "__signals")]
    pub fn signals<'env>(&self, env: &'env Env, query: Unknown<'env>, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let query = reader.root(query, "signals.query").text()?;
            let options = arguments::ranking::rank_options(&reader.root(options, "signals"))?;
            Ok(move |core: &Core| {
                Ok(core.rank(&query, &options)?.ranking.signals.map_or_else(String::new, |signals| signals.json()))
            })
        })
    }

    /// Says which terms, which cosine and which boosts make up a tool's score for a query.
    ///
    /// @param query - as for {@link ToolRouter.rank}
    /// @param tool - the tool by its names, or by its provider name
    /// @param options - as for {@link ToolRouter.rank}; `topK` is ignored
    /// @throws {ToolRouterError} `ERR_TOOL_NOT_FOUND`, `ERR_OUT_OF_SCOPE`, `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    /// @internal
    #[napi(
        catch_unwind,
        ts_args_type = "query: string, tool: ToolRef | string, options?: RankOptions",
        ts_return_type = "Promise<Explanation>"
    )]
    pub fn explain<'env>(
        &self,
        env: &'env Env,
        query: Unknown<'env>,
        tool: Unknown<'env>,
        options: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        on_ranker(env, || {
            let reader = Reader::new(env)?;
            let query = reader.root(query, "explain.query").text()?;
            let tool = arguments::ranking::tool_reference(&reader.root(tool, "explain.tool"))?;
            let options = arguments::ranking::rank_options(&reader.root(options, "explain"))?;
            let ranker = options.ranker;
            let explain = move |core: &Core, snapshot: &Snapshot| {
                let id = tool.resolved(|name| core.resolve_in_scope(snapshot, name, &options))?;
                Ok(Explanation::from(core.explain_in(snapshot, &query, &id, &options)?))
            };
            Ok((ranker, explain))
        })
    }
}
