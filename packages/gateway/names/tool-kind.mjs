// What a tool does to the world, where the user's configuration may know it better than its server and its name.

import addon from '@zoo-code/tool-router/internal'

/** @typedef {'read' | 'write' | 'destructive'} Kind */

/** From harmless to not. */
export const KINDS = ['read', 'write', 'destructive']

/**
 * @param {{ name: string, annotations?: { readOnlyHint?: boolean, destructiveHint?: boolean } }} tool as its server listed it
 * @param {Map<string, Kind>} [given] kinds that the user's configuration gives tools, by name
 */
export const kindOf = (tool, given) => given?.get(tool.name) ?? addon.ToolRouter.toolKind(tool)
