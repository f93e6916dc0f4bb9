// SPDX-License-Identifier: Apache-2.0

/** How many MCP tools the task has, by language. */
export const STATUS = {
  ca: '{{attached}} de {{total}} eines MCP adjuntes en aquest torn',
  de: '{{attached}} von {{total}} MCP-Tools in diesem Schritt verfügbar',
  en: '{{attached}} of {{total}} MCP tools attached this turn',
  es: '{{attached}} de {{total}} herramientas MCP adjuntas en este turno',
  fr: '{{attached}} outils MCP sur {{total}} joints à ce tour',
  hi: 'इस बारी में {{total}} में से {{attached}} MCP टूल जुड़े हैं',
  id: '{{attached}} dari {{total}} tool MCP disertakan pada giliran ini',
  it: '{{attached}} strumenti MCP su {{total}} allegati in questo turno',
  ja: 'このターンで {{total}} 個中 {{attached}} 個のMCPツールを使用可能',
  ko: '이번 턴에 MCP 도구 {{total}}개 중 {{attached}}개 연결됨',
  nl: '{{attached}} van {{total}} MCP-tools toegevoegd in deze beurt',
  pl: 'Dołączone narzędzia MCP w tej turze: {{attached}} z {{total}}',
  'pt-BR': '{{attached}} de {{total}} ferramentas MCP anexadas neste turno',
  ru: 'Инструменты MCP в этом ходе: {{attached}} из {{total}}',
  tr: 'Bu turda {{total}} MCP aracından {{attached}} tanesi ekli',
  vi: '{{attached}} trong {{total}} công cụ MCP được đính kèm ở lượt này',
  'zh-CN': '本轮已附加 {{total}} 个 MCP 工具中的 {{attached}} 个',
  'zh-TW': '本輪已附加 {{total}} 個 MCP 工具中的 {{attached}} 個',
}
