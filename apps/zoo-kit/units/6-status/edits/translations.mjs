const status = (sent, named) => ({ status: sent, named })

/** How many MCP tools the model of a task sees, and how one is marked that it is told by name, by language. */
export const STATUS = {
  ca: status('{{sent}} de {{total}} eines MCP enviades en aquest torn', 'pel nom'),
  de: status('{{sent}} von {{total}} MCP-Tools in diesem Schritt gesendet', 'mit Namen'),
  en: status('{{sent}} of {{total}} MCP tools sent this turn', 'by name'),
  es: status('{{sent}} de {{total}} herramientas MCP enviadas en este turno', 'por nombre'),
  fr: status('{{sent}} outils MCP sur {{total}} envoyés à ce tour', 'par nom'),
  hi: status('इस बारी में {{total}} में से {{sent}} MCP टूल भेजे गए', 'नाम से'),
  id: status('{{sent}} dari {{total}} tool MCP dikirim pada giliran ini', 'dengan nama'),
  it: status('{{sent}} strumenti MCP su {{total}} inviati in questo turno', 'per nome'),
  ja: status('このターンで {{total}} 個中 {{sent}} 個のMCPツールを送信', '名前のみ'),
  ko: status('이번 턴에 MCP 도구 {{total}}개 중 {{sent}}개 전송됨', '이름으로'),
  nl: status('{{sent}} van {{total}} MCP-tools verzonden in deze beurt', 'op naam'),
  pl: status('Wysłane narzędzia MCP w tej turze: {{sent}} z {{total}}', 'z nazwy'),
  'pt-BR': status('{{sent}} de {{total}} ferramentas MCP enviadas neste turno', 'pelo nome'),
  ru: status('Инструменты MCP, отправленные в этом ходе: {{sent}} из {{total}}', 'по имени'),
  tr: status('Bu turda {{total}} MCP aracından {{sent}} tanesi gönderildi', 'adıyla'),
  vi: status('{{sent}} trong {{total}} công cụ MCP được gửi ở lượt này', 'theo tên'),
  'zh-CN': status('本轮已发送 {{total}} 个 MCP 工具中的 {{sent}} 个', '仅名称'),
  'zh-TW': status('本輪已傳送 {{total}} 個 MCP 工具中的 {{sent}} 個', '僅名稱'),
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
