const words = (name, description) => ({ name, description })

/** The switch, by language. */
// biome-ignore format: a language a line
export const SWITCH = {
  ca: words('Càrrega dinàmica d’eines MCP', 'Amb moltes eines MCP, cada tasca rep les que hi encaixen i pot carregar-ne d’altres. Sense @zoo-code/tool-router, una versió tria pitjor o envia totes les eines.'),
  de: words('MCP-Tools dynamisch laden', 'Bei vielen MCP-Tools bekommt jede Aufgabe die passenden und kann weitere laden. Ohne @zoo-code/tool-router wählt eine Version schlechter oder sendet alle Tools.'),
  en: words('Load MCP tools dynamically', 'With many MCP tools, each task gets those that fit it and can load others. Builds without @zoo-code/tool-router choose worse, or send all tools.'),
  es: words('Cargar herramientas MCP dinámicamente', 'Con muchas herramientas MCP, cada tarea recibe las adecuadas y puede cargar otras. Sin @zoo-code/tool-router, una versión elige peor o envía todas las herramientas.'),
  fr: words('Charger les outils MCP dynamiquement', 'Avec de nombreux outils MCP, chaque tâche reçoit ceux qui conviennent et peut en charger d’autres. Sans @zoo-code/tool-router, une version choisit moins bien ou envoie tous les outils.'),
  hi: words('MCP टूल गतिशील रूप से लोड करें', 'कई MCP टूल होने पर हर कार्य को उपयुक्त टूल मिलते हैं और वह अन्य लोड कर सकता है। @zoo-code/tool-router के बिना संस्करण कम अच्छा चुनते हैं या सभी टूल भेजते हैं।'),
  id: words('Muat tool MCP secara dinamis', 'Dengan banyak tool MCP, setiap tugas mendapat yang cocok dan dapat memuat yang lain. Tanpa @zoo-code/tool-router, sebuah versi memilih lebih buruk atau mengirim semua tool.'),
  it: words('Carica gli strumenti MCP dinamicamente', 'Con molti strumenti MCP, ogni attività riceve quelli adatti e può caricarne altri. Senza @zoo-code/tool-router, una versione sceglie peggio o invia tutti gli strumenti.'),
  ja: words('MCPツールを動的に読み込む', 'MCPツールが多い場合、各タスクには合うものが渡され、ほかのツールも読み込めます。@zoo-code/tool-routerを含まないビルドでは、選択の精度が下がるか、すべてのツールが送信されます。'),
  ko: words('MCP 도구를 동적으로 불러오기', 'MCP 도구가 많으면 각 작업은 맞는 도구를 받고 다른 도구를 불러올 수 있습니다. @zoo-code/tool-router가 없는 빌드는 덜 정확하게 고르거나 모든 도구를 보냅니다.'),
  nl: words('MCP-tools dynamisch laden', 'Bij veel MCP-tools krijgt elke taak de passende en kan andere laden. Zonder @zoo-code/tool-router kiest een versie slechter of stuurt ze alle tools.'),
  pl: words('Dynamiczne wczytywanie narzędzi MCP', 'Przy wielu narzędziach MCP każde zadanie dostaje pasujące i może wczytać inne. Bez @zoo-code/tool-router wersja wybiera gorzej lub wysyła wszystkie narzędzia.'),
  'pt-BR': words('Carregar ferramentas MCP dinamicamente', 'Com muitas ferramentas MCP, cada tarefa recebe as adequadas e pode carregar outras. Sem @zoo-code/tool-router, uma versão escolhe pior ou envia todas as ferramentas.'),
  ru: words('Динамическая загрузка инструментов MCP', 'Если инструментов MCP много, задача получает подходящие и может загрузить другие. Без @zoo-code/tool-router сборка выбирает хуже или отправляет все инструменты.'),
  tr: words('MCP araçlarını dinamik yükle', 'Çok sayıda MCP aracı varsa her görev uygun olanları alır ve başkalarını yükleyebilir. @zoo-code/tool-router içermeyen sürümler daha kötü seçer veya tüm araçları gönderir.'),
  vi: words('Tải công cụ MCP động', 'Khi có nhiều công cụ MCP, mỗi tác vụ nhận các công cụ phù hợp và có thể tải thêm. Bản dựng không có @zoo-code/tool-router chọn kém hơn hoặc gửi tất cả công cụ.'),
  'zh-CN': words('动态加载 MCP 工具', 'MCP 工具较多时，每个任务获得合适的工具，并可加载其他工具。不含 @zoo-code/tool-router 的版本选择较差，或发送全部工具。'),
  'zh-TW': words('動態載入 MCP 工具', 'MCP 工具較多時，每個任務會取得合適的工具，並可載入其他工具。不含 @zoo-code/tool-router 的版本選擇較差，或傳送全部工具。'),
}
