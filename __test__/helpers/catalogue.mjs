// Invented servers that look like real ones: names in several spellings, descriptions of one word
// and of pages, schemas with enums, nested objects and references.

const param = (type, description, more = {}) => ({ type, description, ...more })
const schema = (properties, required = []) => JSON.stringify({ type: 'object', properties, required })

const server = (name, tools) => ({
  name,
  tools: tools.map(([toolName, description, properties, required]) => ({
    name: toolName,
    description,
    inputSchema: schema(properties ?? {}, required),
  })),
})

/** Ten servers, 58 tools: over the default threshold. */
export const SERVERS = [
  server('codehub', [
    [
      'create_issue',
      'Create a new issue in a repository, with title, body and labels.',
      {
        repo: param('string', 'owner/name'),
        title: param('string', 'Title of the issue'),
        labels: { type: 'array', items: { type: 'string' } },
      },
      ['repo', 'title'],
    ],
    [
      'list_issues',
      'List issues of a repository, filtered by state and label.',
      { repo: param('string', 'owner/name'), state: { enum: ['open', 'closed', 'all'] } },
      ['repo'],
    ],
    [
      'get_pull_request',
      'Get details of one pull request.',
      { repo: param('string', 'owner/name'), number: param('integer', 'Number of the pull request') },
    ],
    [
      'merge_pull_request',
      'Merge a pull request into its base branch.',
      { repo: param('string', 'owner/name'), method: { enum: ['merge', 'squash', 'rebase'] } },
    ],
    [
      'create_branch',
      'Create a branch from a commit.',
      { repo: param('string', 'owner/name'), branch: param('string', 'Name of the branch') },
    ],
    ['search_code', 'Search source code across repositories.', { query: param('string', 'What to search') }],
    [
      'add_comment',
      'Add a comment to an issue or pull request.',
      { number: param('integer', 'Issue number'), body: param('string', 'Markdown') },
    ],
  ]),
  server('filesystem', [
    ['read_file', 'Read the whole content of a file as text.', { path: param('string', 'Path of the file') }, ['path']],
    [
      'write_file',
      'Write text to a file, replacing what it holds.',
      { path: param('string', 'Path'), content: param('string', 'Text') },
    ],
    ['list_directory', 'List files and folders in a directory.', { path: param('string', 'Path of the folder') }],
    ['move_file', 'Move or rename a file.', { source: param('string', 'From'), destination: param('string', 'To') }],
    ['delete_file', 'Delete a file for good.', { path: param('string', 'Path') }],
    ['search_files', 'Find files whose name matches a glob pattern.', { pattern: param('string', 'Glob') }],
  ]),
  server('postgrid', [
    [
      'run_query',
      'Run a read-only SQL query against the Postgres database and return rows.',
      { sql: param('string', 'SELECT statement') },
      ['sql'],
    ],
    ['list_tables', 'List tables of a schema.', { schema: param('string', 'Schema name', { default: 'public' }) }],
    ['describe_table', 'Show columns, types and indexes of a table.', { table: param('string', 'Table name') }],
    ['explain_plan', 'Show the execution plan of a statement.', { sql: param('string', 'Statement') }],
    [
      'create_index',
      'Create an index on columns of a table.',
      { table: param('string', 'Table'), columns: { type: 'array', items: { type: 'string' } } },
    ],
    ['vacuum', 'Reclaim storage.', {}],
  ]),
  server('Chat Room', [
    [
      'postMessage',
      'Post a message to a channel.',
      { channel: param('string', 'Channel id'), text: param('string', 'Text') },
    ],
    ['listChannels', 'List channels of the workspace.', { limit: param('integer', 'How many', { maximum: 200 }) }],
    [
      'addReaction',
      'Add an emoji reaction to a message.',
      { emoji: param('string', 'Name of the emoji, without colons') },
    ],
    ['getUserProfile', 'Get the profile of a member.', { userId: param('string', 'Member') }],
    ['scheduleMessage', 'Schedule a message for later.', { postAt: param('integer', 'Unix time') }],
  ]),
  server('browser-pilot', [
    ['navigate', 'Open a web page in the browser.', { url: param('string', 'Address') }],
    [
      'take-screenshot',
      'Take a screenshot of the page or of one element.',
      { selector: param('string', 'CSS selector') },
    ],
    ['click-element', 'Click an element of the page.', { selector: param('string', 'CSS selector') }],
    ['fill-form', 'Fill in form fields.', { fields: { type: 'object', additionalProperties: { type: 'string' } } }],
    ['evaluate-script', 'Evaluate JavaScript in the page.', { code: param('string', 'JavaScript') }],
    ['wait-for', 'Wait until a text appears.', { text: param('string', 'Text') }],
  ]),
  server('calendary', [
    [
      'create_event',
      'Create a calendar event with attendees.',
      { start: param('string', 'RFC 3339'), attendees: { type: 'array', items: { type: 'string', format: 'email' } } },
    ],
    ['list_events', 'List events between two dates.', { from: param('string', 'Date'), to: param('string', 'Date') }],
    [
      'find_free_time',
      'Find slots in which all attendees are free.',
      { minutes: param('integer', 'Length of the meeting') },
    ],
    ['cancel_event', 'Cancel an event and tell attendees.', { eventId: param('string', 'Event') }],
    ['set_reminder', 'Remind at a time.', { at: param('string', 'When') }],
  ]),
  server('cloudops', [
    [
      'deploy_service',
      'Deploy a container image as a service.',
      { image: param('string', 'Image'), region: { enum: ['eu-west-1', 'us-east-1'] } },
    ],
    ['scale_service', 'Change the number of replicas of a service.', { replicas: param('integer', 'Replicas') }],
    [
      'fetch_logs',
      'Fetch log lines of a service.',
      { service: param('string', 'Service'), since: param('string', 'Duration') },
    ],
    ['list_clusters', 'List Kubernetes clusters.', {}],
    ['restart_pod', 'Restart a pod that is stuck.', { pod: param('string', 'Pod') }],
    ['rotate_secret', 'Rotate a secret in the vault.', { name: param('string', 'Secret') }],
  ]),
  server('issue.desk', [
    [
      'create_ticket',
      'Open a support ticket for a customer.',
      { subject: param('string', 'Subject'), priority: { enum: ['low', 'high', 'urgent'] } },
    ],
    [
      'assign_ticket',
      'Assign a ticket to an agent.',
      { ticket: param('integer', 'Ticket'), agent: param('string', 'Agent') },
    ],
    ['close_ticket', 'Close a ticket with a resolution.', { ticket: param('integer', 'Ticket') }],
    ['search', 'Search tickets.', { q: param('string', 'Text') }],
    ['escalate', 'Escalate to the second level.', {}],
  ]),
  server('designer', [
    ['export_frame', 'Export a frame as PNG or SVG.', { format: { enum: ['png', 'svg'] } }],
    ['get_styles', 'Get colour and text styles of a file.', { fileKey: param('string', 'File') }],
    ['list_components', 'List components of a library.', {}],
    ['create_shape', 'Draw a shape. 📐 绘制形状', { shape: { enum: ['rectangle', 'ellipse'] } }],
    ['comment', 'Leave a comment on a design.', { message: param('string', 'Text') }],
  ]),
  server('weatherly', [
    ['current_conditions', 'Temperature, humidity and wind now.', { city: param('string', 'City') }],
    [
      'forecast',
      'Forecast for the next days.',
      { city: param('string', 'City'), days: param('integer', 'Days', { minimum: 1, maximum: 14 }) },
    ],
    ['air_quality', 'Air quality index of a place.', { city: param('string', 'City') }],
    ['marine', 'Waves and tides.', { lat: param('number', 'Latitude'), lon: param('number', 'Longitude') }],
    ['alerts', 'Severe weather warnings of a region.', { region: param('string', 'Region') }],
    ['history', 'Past weather.', { date: param('string', 'Date') }],
    ['search', 'Search places by name.', { q: param('string', 'Text') }],
  ]),
]

/** A copy that a test may change. */
export const servers = () => structuredClone(SERVERS)

/** Queries a user or model may write. */
export const QUERIES = [
  'create an issue about the login bug',
  'list_issues',
  'what is the weather in Lisbon tomorrow',
  'search',
  'use take screenshot on the page',
  'SQL query on the users table',
  'merge the pull request and delete the branch',
  'postMessage to #general',
  'weatherly.search',
  'the',
  '',
  'zzzz qqqq',
  '绘制形状',
  '📐',
  'CREATE_TICKET',
  'List the open issues of acme/web, then post a summary to the channel and schedule a meeting with the team',
]

const VERBS = ['get', 'list', 'create', 'update', 'delete', 'search', 'export', 'import', 'archive', 'share']
const NOUNS = [
  'invoice',
  'customer',
  'shipment',
  'recipe',
  'playlist',
  'sensor',
  'contract',
  'route',
  'survey',
  'ledger',
  'photo',
  'permit',
]

/** A server of any size, for limits and long work. */
export const bulk = (name, count) => ({
  name,
  tools: Array.from({ length: count }, (_, at) => {
    const [verb, noun] = [VERBS[at % VERBS.length], NOUNS[Math.floor(at / VERBS.length) % NOUNS.length]]
    return {
      name: `${verb}_${noun}_${at}`,
      description: `${verb[0].toUpperCase()}${verb.slice(1)} the ${noun} number ${at} of the ${name} account.`,
      inputSchema: schema(
        { id: param('string', `The ${noun}`), dryRun: param('boolean', 'Only say what would happen') },
        ['id'],
      ),
    }
  }),
})

/** The tools of all servers as a list that is given in a call. */
export const scoped = () =>
  servers().flatMap(({ name, tools }) =>
    tools.map((tool) => ({ serverName: name, toolName: tool.name, description: tool.description })),
  )
