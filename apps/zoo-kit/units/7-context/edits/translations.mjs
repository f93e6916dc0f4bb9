const KEYS = ['title', 'none', 'section', 'tokens', 'total', 'system', 'native', 'messages', 'left']
const words = (...texts) => Object.fromEntries(KEYS.map((key, place) => [key, texts[place]]))

/** The panel of the context window, by language. */
// biome-ignore format: a language a line
export const CONTEXT_USAGE = {
  ca: words('Ús del context', "Encara no s'ha enviat cap sol·licitud", 'Secció', 'Tokens', 'Total', 'Prompt del sistema', 'Eines integrades', 'Missatges', 'Ja no s’envia'),
  de: words('Kontextnutzung', 'Noch keine Anfrage gesendet', 'Abschnitt', 'Tokens', 'Gesamt', 'System-Prompt', 'Integrierte Tools', 'Nachrichten', 'Nicht mehr gesendet'),
  en: words('Context usage', 'No request has been sent yet', 'Section', 'Tokens', 'Total', 'System prompt', 'Native tools', 'Messages', 'No longer sent'),
  es: words('Uso del contexto', 'Aún no se ha enviado ninguna solicitud', 'Sección', 'Tokens', 'Total', 'Prompt del sistema', 'Herramientas integradas', 'Mensajes', 'Ya no se envía'),
  fr: words('Utilisation du contexte', 'Aucune requête envoyée pour le moment', 'Section', 'Tokens', 'Total', 'Prompt système', 'Outils intégrés', 'Messages', 'N’est plus envoyé'),
  hi: words('संदर्भ उपयोग', 'अभी तक कोई अनुरोध नहीं भेजा गया', 'अनुभाग', 'टोकन', 'कुल', 'सिस्टम प्रॉम्प्ट', 'अंतर्निहित टूल', 'संदेश', 'अब नहीं भेजा जाता'),
  id: words('Penggunaan konteks', 'Belum ada permintaan yang dikirim', 'Bagian', 'Token', 'Total', 'Prompt sistem', 'Tool bawaan', 'Pesan', 'Tidak lagi dikirim'),
  it: words('Utilizzo del contesto', 'Nessuna richiesta ancora inviata', 'Sezione', 'Token', 'Totale', 'Prompt di sistema', 'Strumenti integrati', 'Messaggi', 'Non più inviato'),
  ja: words('コンテキスト使用量', 'まだリクエストは送信されていません', 'セクション', 'トークン', '合計', 'システムプロンプト', '組み込みツール', 'メッセージ', '送信されなくなった分'),
  ko: words('컨텍스트 사용량', '아직 전송된 요청이 없습니다', '구분', '토큰', '합계', '시스템 프롬프트', '기본 도구', '메시지', '더 이상 전송되지 않음'),
  nl: words('Contextgebruik', 'Er is nog geen verzoek verzonden', 'Onderdeel', 'Tokens', 'Totaal', 'Systeemprompt', 'Ingebouwde tools', 'Berichten', 'Niet meer verzonden'),
  pl: words('Wykorzystanie kontekstu', 'Nie wysłano jeszcze żadnego zapytania', 'Sekcja', 'Tokeny', 'Razem', 'Prompt systemowy', 'Wbudowane narzędzia', 'Wiadomości', 'Już niewysyłane'),
  'pt-BR': words('Uso do contexto', 'Nenhuma solicitação enviada ainda', 'Seção', 'Tokens', 'Total', 'Prompt do sistema', 'Ferramentas nativas', 'Mensagens', 'Não é mais enviado'),
  ru: words('Использование контекста', 'Запросов ещё не было', 'Раздел', 'Токены', 'Всего', 'Системный промпт', 'Встроенные инструменты', 'Сообщения', 'Больше не отправляется'),
  tr: words('Bağlam kullanımı', 'Henüz istek gönderilmedi', 'Bölüm', 'Token', 'Toplam', 'Sistem istemi', 'Yerleşik araçlar', 'Mesajlar', 'Artık gönderilmiyor'),
  vi: words('Mức dùng ngữ cảnh', 'Chưa gửi yêu cầu nào', 'Phần', 'Token', 'Tổng', 'Lời nhắc hệ thống', 'Công cụ tích hợp', 'Tin nhắn', 'Không còn được gửi'),
  'zh-CN': words('上下文使用情况', '尚未发送任何请求', '部分', 'Token', '合计', '系统提示词', '内置工具', '消息', '不再发送'),
  'zh-TW': words('上下文使用情況', '尚未送出任何請求', '部分', 'Token', '合計', '系統提示詞', '內建工具', '訊息', '不再傳送'),
}
