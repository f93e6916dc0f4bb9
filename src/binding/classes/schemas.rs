//! `ToolRouter`: schemas as providers take them, and in fewer tokens.

use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use super::router::ToolRouter;
use crate::binding::answers::delivery::AcceptedSchema;
use crate::binding::arguments;
use crate::binding::arguments::input::Reader;
use crate::binding::error::sync;
use crate::schema;
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

    /// An input schema in fewer tokens, for a host that sends definitions of its own making: what `schemaDetail: 'compact'`
    /// shows. The answer accepts just what the schema accepts. docs/delivery.md has every rule.
    ///
    /// @param inputSchema - the schema, as an object or as JSON text
    /// @param options - the tool that it is of, of which nothing is repeated, and whether descriptions stay
    /// @returns JSON text
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`
    /// @example
    /// ```ts
    /// const schema = { title: 'findArguments', type: 'object', properties: { id: { title: 'Id' } }, required: [] }
    /// console.log(ToolRouter.compactSchema(schema, { name: 'find' })) // {"type":"object","properties":{"id":{}}}
    /// ```
    /// @internal
    #[napi(catch_unwind, ts_args_type = "inputSchema: object | string, options?: CompactSchemaOptions")]
    pub fn compact_schema<'env>(env: &'env Env, input_schema: Unknown<'env>, options: Unknown<'env>) -> napi::Result<String> {
        sync(env, || {
            let reader = Reader::new(env)?;
            let text = arguments::delivery::schema(&reader.root(input_schema, "compactSchema.inputSchema"))?;
            let (name, description, is_bare) = arguments::delivery::compact_options(&reader.root(options, "compactSchema"))?;
            Ok(schema::compact(&name, &description, &text, is_bare))
        })
    }
}
