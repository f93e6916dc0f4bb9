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
