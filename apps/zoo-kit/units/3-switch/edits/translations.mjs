const words = (name, description) => ({ name, description })

/** The switch, by language. */
export const SWITCH = {
  ca: words(
    'Càrrega dinàmica d’eines MCP',
    'Amb moltes eines MCP, cada tasca rep les que hi encaixen i pot carregar-ne d’altres.',
  ),
  de: words(
    'MCP-Tools dynamisch laden',
    'Bei vielen MCP-Tools bekommt jede Aufgabe die passenden und kann weitere laden.',
  ),
  en: words('Load MCP tools dynamically', 'With many MCP tools, each task gets those that fit it and can load others.'),
  es: words(
    'Cargar herramientas MCP dinámicamente',
    'Con muchas herramientas MCP, cada tarea recibe las adecuadas y puede cargar otras.',
  ),
  fr: words(
    'Charger les outils MCP dynamiquement',
    'Avec de nombreux outils MCP, chaque tâche reçoit ceux qui conviennent et peut en charger d’autres.',
  ),
  hi: words('MCP टूल गतिशील रूप से लोड करें', 'कई MCP टूल होने पर हर कार्य को उपयुक्त टूल मिलते हैं और वह अन्य लोड कर सकता है।'),
  id: words(
    'Muat tool MCP secara dinamis',
    'Dengan banyak tool MCP, setiap tugas mendapat yang cocok dan dapat memuat yang lain.',
  ),
  it: words(
    'Carica gli strumenti MCP dinamicamente',
    'Con molti strumenti MCP, ogni attività riceve quelli adatti e può caricarne altri.',
  ),
  ja: words(
    'MCPツールを動的に読み込む',
    'MCPツールが多い場合、各タスクには合うものが渡され、ほかのツールも読み込めます。',
  ),
  ko: words(
    'MCP 도구를 동적으로 불러오기',
    'MCP 도구가 많으면 각 작업은 맞는 도구를 받고 다른 도구를 불러올 수 있습니다.',
  ),
  nl: words('MCP-tools dynamisch laden', 'Bij veel MCP-tools krijgt elke taak de passende en kan andere laden.'),
  pl: words(
    'Dynamiczne wczytywanie narzędzi MCP',
    'Przy wielu narzędziach MCP każde zadanie dostaje pasujące i może wczytać inne.',
  ),
  'pt-BR': words(
    'Carregar ferramentas MCP dinamicamente',
    'Com muitas ferramentas MCP, cada tarefa recebe as adequadas e pode carregar outras.',
  ),
  ru: words(
    'Динамическая загрузка инструментов MCP',
    'Если инструментов MCP много, задача получает подходящие и может загрузить другие.',
  ),
  tr: words(
    'MCP araçlarını dinamik yükle',
    'Çok sayıda MCP aracı varsa her görev uygun olanları alır ve başkalarını yükleyebilir.',
  ),
  vi: words(
    'Tải công cụ MCP động',
    'Khi có nhiều công cụ MCP, mỗi tác vụ nhận các công cụ phù hợp và có thể tải thêm.',
  ),
  'zh-CN': words('动态加载 MCP 工具', 'MCP 工具较多时，每个任务获得合适的工具，并可加载其他工具。'),
  'zh-TW': words('動態載入 MCP 工具', 'MCP 工具較多時，每個任務會取得合適的工具，並可載入其他工具。'),
}
