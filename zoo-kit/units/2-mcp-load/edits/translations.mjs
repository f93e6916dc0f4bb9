// SPDX-License-Identifier: Apache-2.0

const words = (loaded, none) => ({ loaded, none })

/** What the chat says of a call of mcp_load, by language. */
export const MCP_LOAD = {
  ca: words('Eines MCP carregades', 'Cap eina MCP no hi encaixa'),
  de: words('MCP-Tools geladen', 'Kein MCP-Tool passt'),
  en: words('Loaded MCP tools', 'No MCP tool fits'),
  es: words('Herramientas MCP cargadas', 'Ninguna herramienta MCP encaja'),
  fr: words('Outils MCP chargés', 'Aucun outil MCP ne convient'),
  hi: words('MCP टूल लोड किए गए', 'कोई MCP टूल उपयुक्त नहीं है'),
  id: words('Tool MCP dimuat', 'Tidak ada tool MCP yang cocok'),
  it: words('Strumenti MCP caricati', 'Nessuno strumento MCP è adatto'),
  ja: words('MCPツールを読み込みました', '該当するMCPツールはありません'),
  ko: words('MCP 도구를 불러왔습니다', '맞는 MCP 도구가 없습니다'),
  nl: words('MCP-tools geladen', 'Geen MCP-tool past'),
  pl: words('Wczytano narzędzia MCP', 'Żadne narzędzie MCP nie pasuje'),
  'pt-BR': words('Ferramentas MCP carregadas', 'Nenhuma ferramenta MCP serve'),
  ru: words('Инструменты MCP загружены', 'Подходящих инструментов MCP нет'),
  tr: words('MCP araçları yüklendi', 'Uygun MCP aracı yok'),
  vi: words('Đã tải công cụ MCP', 'Không có công cụ MCP phù hợp'),
  'zh-CN': words('已加载 MCP 工具', '没有合适的 MCP 工具'),
  'zh-TW': words('已載入 MCP 工具', '沒有合適的 MCP 工具'),
}
