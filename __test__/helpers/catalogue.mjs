// Invented servers that look like real ones: names in several spellings, descriptions of one word
// and of pages, schemas with enums, nested objects and references.

const param = (type, description, more = {}) => ({ type, description, ...more })
const schema = (properties, required = []) => JSON.stringify({ type: 'object', properties, required })

/** A tool a line: name, description and what it takes. `!` is required, `:type` stands where it is no text. */
const server = (name, lines) => ({
  name,
  tools: lines
    .trim()
    .split('\n')
    .map((line) => {
      const [toolName, description, taken = ''] = line.split(' | ')
      const all = taken.split('; ').filter(Boolean)
      const read = all.map((each) => /^(\w+)(!?)(?::(\w+))? (.*)$/.exec(each).slice(1))
      const properties = read.map(([key, , type = 'string', text]) => [
        key,
        text.startsWith('{') ? JSON.parse(text) : param(type, text),
      ])
      const required = read.filter(([, must]) => must).map(([key]) => key)
      return { name: toolName, description, inputSchema: schema(Object.fromEntries(properties), required) }
    }),
})

/** Ten servers, 58 tools: over the default threshold. */
export const SERVERS = Object.entries({
  codehub: `
create_issue | Create a new issue in a repository, with title, body and labels. | repo! owner/name; title! Title of the issue; labels {"type":"array","items":{"type":"string"}}
list_issues | List issues of a repository, filtered by state and label. | repo! owner/name; state {"enum":["open","closed","all"]}
get_pull_request | Get details of one pull request. | repo owner/name; number:integer Number of the pull request
merge_pull_request | Merge a pull request into its base branch. | repo owner/name; method {"enum":["merge","squash","rebase"]}
create_branch | Create a branch from a commit. | repo owner/name; branch Name of the branch
search_code | Search source code across repositories. | query What to search
add_comment | Add a comment to an issue or pull request. | number:integer Issue number; body Markdown`,
  filesystem: `
read_file | Read the whole content of a file as text. | path! Path of the file
write_file | Write text to a file, replacing what it holds. | path Path; content Text
list_directory | List files and folders in a directory. | path Path of the folder
move_file | Move or rename a file. | source From; destination To
delete_file | Delete a file for good. | path Path
search_files | Find files whose name matches a glob pattern. | pattern Glob`,
  postgrid: `
run_query | Run a read-only SQL query against the Postgres database and return rows. | sql! SELECT statement
list_tables | List tables of a schema. | schema {"type":"string","description":"Schema name","default":"public"}
describe_table | Show columns, types and indexes of a table. | table Table name
explain_plan | Show the execution plan of a statement. | sql Statement
create_index | Create an index on columns of a table. | table Table; columns {"type":"array","items":{"type":"string"}}
vacuum | Reclaim storage.`,
  'Chat Room': `
postMessage | Post a message to a channel. | channel Channel id; text Text
listChannels | List channels of the workspace. | limit {"type":"integer","description":"How many","maximum":200}
addReaction | Add an emoji reaction to a message. | emoji Name of the emoji, without colons
getUserProfile | Get the profile of a member. | userId Member
scheduleMessage | Schedule a message for later. | postAt:integer Unix time`,
  'browser-pilot': `
navigate | Open a web page in the browser. | url Address
take-screenshot | Take a screenshot of the page or of one element. | selector CSS selector
click-element | Click an element of the page. | selector CSS selector
fill-form | Fill in form fields. | fields {"type":"object","additionalProperties":{"type":"string"}}
evaluate-script | Evaluate JavaScript in the page. | code JavaScript
wait-for | Wait until a text appears. | text Text`,
  calendary: `
create_event | Create a calendar event with attendees. | start RFC 3339; attendees {"type":"array","items":{"type":"string","format":"email"}}
list_events | List events between two dates. | from Date; to Date
find_free_time | Find slots in which all attendees are free. | minutes:integer Length of the meeting
cancel_event | Cancel an event and tell attendees. | eventId Event
set_reminder | Remind at a time. | at When`,
  cloudops: `
deploy_service | Deploy a container image as a service. | image Image; region {"enum":["eu-west-1","us-east-1"]}
scale_service | Change the number of replicas of a service. | replicas:integer Replicas
fetch_logs | Fetch log lines of a service. | service Service; since Duration
list_clusters | List Kubernetes clusters.
restart_pod | Restart a pod that is stuck. | pod Pod
rotate_secret | Rotate a secret in the vault. | name Secret`,
  'issue.desk': `
create_ticket | Open a support ticket for a customer. | subject Subject; priority {"enum":["low","high","urgent"]}
assign_ticket | Assign a ticket to an agent. | ticket:integer Ticket; agent Agent
close_ticket | Close a ticket with a resolution. | ticket:integer Ticket
search | Search tickets. | q Text
escalate | Escalate to the second level.`,
  designer: `
export_frame | Export a frame as PNG or SVG. | format {"enum":["png","svg"]}
get_styles | Get colour and text styles of a file. | fileKey File
list_components | List components of a library.
create_shape | Draw a shape. 📐 绘制形状 | shape {"enum":["rectangle","ellipse"]}
comment | Leave a comment on a design. | message Text`,
  weatherly: `
current_conditions | Temperature, humidity and wind now. | city City
forecast | Forecast for the next days. | city City; days {"type":"integer","description":"Days","minimum":1,"maximum":14}
air_quality | Air quality index of a place. | city City
marine | Waves and tides. | lat:number Latitude; lon:number Longitude
alerts | Severe weather warnings of a region. | region Region
history | Past weather. | date Date
search | Search places by name. | q Text`,
}).map(([name, lines]) => server(name, lines))

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
const NOUNS = 'invoice customer shipment recipe playlist sensor contract route survey ledger photo permit'.split(' ')

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
