// Counts of what the router does, only through the editor's API, which respects the user's opt-out. Nothing leaves the
// machine: the sender writes to the log. Events hold counts and names of states, never a text.

import type { ToolRouter } from '@zoo-code/tool-router'
import * as vscode from 'vscode'

export function sendTelemetry(router: ToolRouter, log: vscode.LogOutputChannel): vscode.Disposable {
  const logger = vscode.env.createTelemetryLogger({
    sendEventData: (name, data) => log.trace(`telemetry ${name} ${JSON.stringify(data)}`),
    sendErrorData: (error) => log.trace(`telemetry error ${error.name}`),
  })
  router.onTelemetry(({ event, sessionId: _, ...counts }) => logger.logUsage(event, counts))
  return {
    dispose: () => {
      router.onTelemetry(null)
      logger.dispose()
    },
  }
}
