/** What the switch says in the editor's settings, by language. */
export const RANKS_TOOLS = {
  ca: "Ordena les eines MCP amb el proveïdor de l'índex de codi. Els vostres missatges i les descripcions de les eines s'envien llavors a aquest proveïdor. Sense això les ordena un model local.",
  de: 'MCP-Tools mit dem Anbieter des Code-Index ordnen. Deine Nachrichten und die Beschreibungen der Tools werden dann an diesen Anbieter gesendet. Sonst ordnet ein lokales Modell.',
  en: 'Rank MCP tools with the provider of the code index. Your messages and the descriptions of tools are then sent to that provider. Otherwise a local model ranks.',
  es: 'Ordena las herramientas MCP con el proveedor del índice de código. Tus mensajes y las descripciones de las herramientas se envían entonces a ese proveedor. Si no, las ordena un modelo local.',
  fr: 'Classer les outils MCP avec le fournisseur de l’index de code. Vos messages et les descriptions des outils sont alors envoyés à ce fournisseur. Sinon, un modèle local les classe.',
  hi: 'MCP टूल को कोड इंडेक्स के प्रदाता से क्रम दें। तब आपके संदेश और टूल के विवरण उस प्रदाता को भेजे जाते हैं। अन्यथा एक स्थानीय मॉडल क्रम देता है।',
  id: 'Urutkan tool MCP dengan penyedia indeks kode. Pesan Anda dan deskripsi tool lalu dikirim ke penyedia itu. Jika tidak, model lokal yang mengurutkan.',
  it: 'Ordina gli strumenti MCP con il provider dell’indice del codice. I tuoi messaggi e le descrizioni degli strumenti vengono allora inviati a quel provider. Altrimenti li ordina un modello locale.',
  ja: 'コードインデックスのプロバイダーでMCPツールを順位付けします。メッセージとツールの説明がそのプロバイダーに送信されます。オフの場合はローカルモデルが順位付けします。',
  ko: '코드 인덱스의 제공자로 MCP 도구의 순위를 매깁니다. 그러면 메시지와 도구 설명이 해당 제공자에게 전송됩니다. 그렇지 않으면 로컬 모델이 순위를 매깁니다.',
  nl: 'Rangschik MCP-tools met de provider van de code-index. Je berichten en de beschrijvingen van tools worden dan naar die provider gestuurd. Anders rangschikt een lokaal model.',
  pl: 'Szereguj narzędzia MCP za pomocą dostawcy indeksu kodu. Twoje wiadomości i opisy narzędzi są wtedy wysyłane do tego dostawcy. W przeciwnym razie szereguje model lokalny.',
  'pt-BR':
    'Ordenar ferramentas MCP com o provedor do índice de código. Suas mensagens e as descrições das ferramentas são então enviadas a esse provedor. Caso contrário, um modelo local ordena.',
  ru: 'Упорядочивать инструменты MCP с помощью провайдера индекса кода. Ваши сообщения и описания инструментов тогда отправляются этому провайдеру. Иначе упорядочивает локальная модель.',
  tr: 'MCP araçlarını kod dizininin sağlayıcısıyla sırala. Mesajlarınız ve araç açıklamaları o zaman bu sağlayıcıya gönderilir. Aksi halde yerel bir model sıralar.',
  vi: 'Xếp hạng công cụ MCP bằng nhà cung cấp của chỉ mục mã. Khi đó tin nhắn của bạn và mô tả công cụ được gửi đến nhà cung cấp đó. Nếu không, mô hình cục bộ sẽ xếp hạng.',
  'zh-CN': '使用代码索引的提供商对 MCP 工具排序。您的消息和工具描述随后会发送给该提供商。否则由本地模型排序。',
  'zh-TW': '使用程式碼索引的供應商對 MCP 工具排序。您的訊息和工具描述隨後會傳送給該供應商。否則由本機模型排序。',
}
