//! `ToolRouter`: schemas as providers take them.

use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use super::router::ToolRouter;
use crate::binding::answers::delivery::AcceptedSchema;
use crate::binding::arguments;
use crate::binding::arguments::input::Reader;
use crate::binding::error::sync;
use crate::schema::accepted::accepted;

#[napi]
impl ToolRouter {
    /// An input schema as providers take it, for a host that sends definitions of its own making: what
    /// {@link Session.tools} and {@link Session.render} do with each tool. The answer accepts what the schema accepts.
    ///
    /// @param inputSchema - the schema, as an object or as JSON text
    /// @param options - whose rules bind; by default those of all providers. With a description, what the schema cannot
    /// say stands in it
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`
    /// @example
    /// ```ts
    /// const { inputSchema, changes } = ToolRouter.acceptedSchema({ type: 'object', properties: { ids: { type: 'array' } } })
    /// console.log(changes.join()) // items-added
    /// ```
    /// @internal
    #[napi(catch_unwind, ts_args_type = "inputSchema: object | string, options?: AcceptedSchemaOptions")]
    pub fn accepted_schema<'env>(
        env: &'env Env,
        input_schema: Unknown<'env>,
        options: Unknown<'env>,
    ) -> napi::Result<AcceptedSchema> {
        sync(env, || {
            let reader = Reader::new(env)?;
            let schema = arguments::delivery::schema(&reader.root(input_schema, "acceptedSchema.inputSchema"))?;
            let (rules, description) = arguments::delivery::schema_options(&reader.root(options, "acceptedSchema"))?;
            let accepted = accepted(rules, description.as_deref().unwrap_or(""), &schema);
            Ok(AcceptedSchema::new(schema, description, accepted))
        })
    }
}
