// Logs, traces and orders as systems write them, always the same ones. What is to be found stands at fixed places among
// what happens all the time.

/** A small generator: the same numbers on every machine. */
function random(seed) {
  let state = seed
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

const pad = (number, width = 2) => String(number).padStart(width, '0')
const clock = (second) =>
  `${pad(8 + Math.floor(second / 3600))}:${pad(Math.floor(second / 60) % 60)}:${pad(second % 60)}`

/** Lines that happen all the time, with some that happen once. */
function mixed(seed, count, usual, once) {
  const next = random(seed)
  const lines = Array.from({ length: count }, (_, at) => usual(next, at))
  for (const [at, line] of Object.entries(once)) lines.splice(Number(at), 0, line(Number(at)))
  return lines.join('\n')
}

const SHOP = {
  251: (at) =>
    `2024-06-03T${clock(at * 7)}.114Z ERROR [checkout] payment of order 48213 declined by the acquirer: code 51 insufficient funds`,
  402: (at) =>
    `2024-06-03T${clock(at * 7)}.902Z WARN [db] connection pool exhausted, 64 of 64 in use, 17 requests are waiting`,
  633: (at) =>
    `2024-06-03T${clock(at * 7)}.310Z ERROR [mailer] could not deliver the receipt to jana.novak@example.org: 550 mailbox unavailable\n    at SmtpSession.rcpt (/app/mailer/smtp.js:88:13)\n    at async sendReceipt (/app/mailer/receipts.js:31:5)`,
  871: (at) =>
    `2024-06-03T${clock(at * 7)}.771Z INFO [deploy] release 2024.06.3 of the storefront replaced 2024.06.2, migrations 0114_add_gift_cards applied`,
  1102: (at) =>
    `2024-06-03T${clock(at * 7)}.045Z FATAL [worker-3] JavaScript heap out of memory while the catalogue export was running`,
}

const ACCESS = {
  180: () =>
    '203.0.113.77 - - [03/Jun/2024:08:41:10 +0000] "POST /wp-login.php HTTP/1.1" 403 199 "-" "Mozilla/5.0 zgrab/0.x"',
  455: () =>
    '198.51.100.23 - maria [03/Jun/2024:09:53:41 +0000] "DELETE /api/v2/projects/771 HTTP/1.1" 204 0 "https://app.example.org/projects" "Mozilla/5.0 (X11; Linux x86_64)"',
  702: () =>
    '198.51.100.9 - - [03/Jun/2024:10:12:02 +0000] "GET /reports/annual-2023.pdf HTTP/2.0" 500 1042 "-" "curl/8.4.0"',
  904: () =>
    '192.0.2.140 - - [03/Jun/2024:11:20:33 +0000] "GET /search?q=%27%20OR%201%3D1-- HTTP/1.1" 400 310 "-" "sqlmap/1.7"',
  1090: () =>
    '198.51.100.60 - deploybot [03/Jun/2024:12:01:59 +0000] "PUT /api/v2/releases/current HTTP/1.1" 200 88 "-" "release-tool/3.1"',
}

const BUILD = {
  140: () =>
    "src/billing/invoice.ts(212,18): error TS2322: Type 'string | undefined' is not assignable to type 'Currency'.",
  310: () => 'warning: unused import: `std::collections::BTreeMap`\n  --> crates/index/src/segment.rs:7:5',
  489: () =>
    "ERROR in ./web/editor/toolbar.tsx 44:9-31\nModule not found: Error: Can't resolve '@shared/icons/bold.svg' in '/build/web/editor'",
  702: () =>
    '  ✖ keeps the cursor when a collaborator deletes the paragraph (1204ms)\n      Expected: 17\n      Received: 0',
  860: () => 'npm warn deprecated left-archive@1.3.0: it leaks file handles; use tar-stream-lite instead',
}

const SYSLOG = {
  122: () =>
    'Jun  3 09:14:22 atlas sshd[4411]: Failed password for invalid user oracle from 203.0.113.5 port 51022 ssh2',
  377: () =>
    'Jun  3 10:02:41 atlas kernel: EXT4-fs error (device sdb1): ext4_find_entry:1455: inode #262147: comm rsync: reading directory lblock 0',
  590: () =>
    'Jun  3 11:30:05 atlas systemd[1]: backup-nightly.service: Main process exited, code=exited, status=23/n/a',
  803: () =>
    'Jun  3 12:48:59 atlas dhclient[812]: DHCPDECLINE of 10.20.0.44: address already in use by another machine',
  1001: () =>
    'Jun  3 13:37:00 atlas sudo: petra : TTY=pts/2 ; PWD=/srv ; USER=root ; COMMAND=/usr/bin/systemctl stop firewalld',
}

const line = (fields) => JSON.stringify({ level: 30, ...fields })
const JSON_LINES = {
  90: () =>
    line({
      level: 50,
      time: 1717405290,
      msg: 'token refresh refused',
      issuer: 'https://login.example.org',
      reason: 'clock skew of 412 s',
    }),
  260: () => line({ level: 40, time: 1717405460, msg: 'queue thumbnails is 18,211 jobs behind', oldest: '42 min' }),
  431: () =>
    line({
      level: 50,
      time: 1717405631,
      msg: 'S3 upload aborted',
      bucket: 'invoices-eu',
      key: '2024/06/INV-20931.pdf',
      err: 'SlowDown: please reduce your request rate',
    }),
  611: () =>
    line({
      level: 30,
      time: 1717405811,
      msg: 'feature flag changed',
      flag: 'new-search',
      from: false,
      to: true,
      by: 'henrik',
    }),
  777: () =>
    line({ level: 60, time: 1717405977, msg: 'leader election lost', node: 'eu-west-1c-7', successor: 'eu-west-1a-2' }),
}

const LOGS = {
  shop: () =>
    mixed(
      11,
      1_300,
      (next, at) => {
        const order = 40_000 + next(9_000)
        const usual = [
          `INFO [http] GET /products/${next(4_000)} 200 in ${next(90)} ms`,
          `INFO [http] POST /cart/items 201 in ${next(120)} ms`,
          `INFO [checkout] order ${order} was placed, ${1 + next(6)} items`,
          `DEBUG [cache] miss for product:${next(4_000)}`,
          `INFO [stock] reserved ${1 + next(3)} of sku ${10_000 + next(900)}`,
        ]
        return `2024-06-03T${clock(at * 7)}.${pad(next(1_000), 3)}Z ${usual[next(usual.length)]}`
      },
      SHOP,
    ),
  access: () =>
    mixed(
      23,
      1_200,
      (next, at) => {
        const page = [
          '/',
          '/docs/start',
          '/api/v2/projects',
          `/api/v2/projects/${next(900)}`,
          '/assets/app.js',
          '/health',
        ][next(6)]
        return `198.51.100.${next(250)} - - [03/Jun/2024:${clock(at * 9)} +0000] "GET ${page} HTTP/1.1" ${next(20) === 0 ? 304 : 200} ${next(9_000)} "-" "Mozilla/5.0"`
      },
      ACCESS,
    ),
  build: () =>
    mixed(
      37,
      1_000,
      (next) => {
        const unit = ['billing', 'editor', 'search', 'index', 'auth', 'notify'][next(6)]
        return [
          `   Compiling ${unit}-core v0.${next(40)}.${next(9)}`,
          `  ✔ ${unit} handles case ${next(400)} (${next(60)}ms)`,
          `[webpack] asset ${unit}.${next(0xffff).toString(16)}.js ${next(400)} KiB [emitted]`,
          `tsc: src/${unit}/part${next(90)}.ts checked in ${next(300)} ms`,
        ][next(4)]
      },
      BUILD,
    ),
  syslog: () =>
    mixed(
      41,
      1_200,
      (next, at) =>
        `Jun  3 ${clock(at * 8)} atlas ${
          [
            `CRON[${next(9_000)}]: (root) CMD (run-parts /etc/cron.hourly)`,
            `systemd[1]: Started session ${next(9_000)} of user deploy.`,
            `sshd[${next(9_000)}]: Accepted publickey for deploy from 10.20.0.${next(200)} port ${next(60_000)}`,
            `kernel: [UFW BLOCK] IN=eth0 SRC=203.0.113.${next(200)} DST=10.20.0.4 PROTO=TCP DPT=${next(9_000)}`,
          ][next(4)]
        }`,
      SYSLOG,
    ),
  json: () =>
    mixed(
      53,
      900,
      (next, at) =>
        line(
          [
            { time: 1_717_405_200 + at, msg: 'request', path: `/v1/files/${next(9_000)}`, status: 200, ms: next(200) },
            { time: 1_717_405_200 + at, msg: 'job done', queue: 'thumbnails', id: next(90_000) },
            { time: 1_717_405_200 + at, msg: 'cache hit', key: `user:${next(900)}` },
          ][next(3)],
        ),
      JSON_LINES,
    ),
}

export const logs = (name) => LOGS[name]()

const FRAMES = [
  'Router.handle',
  'Layer.match',
  'Session.load',
  'Query.run',
  'Pool.acquire',
  'Stream.pipe',
  'Cache.get',
  'Queue.take',
]

const NODE = {
  7: "TypeError: Cannot read properties of undefined (reading 'shippingAddress')",
  19: "Error: ENOSPC: no space left on device, write '/var/cache/previews/9921.webp'",
  31: 'RangeError: Maximum call stack size exceeded in flattenCategories',
  44: 'AggregateError [ECONNREFUSED]: connect to the ledger at 10.0.4.18:5432 failed',
  52: 'SyntaxError: Unexpected token < in JSON at position 0 while reading the exchange rates',
}
const PYTHON = {
  5: "KeyError: 'tax_region'",
  16: 'sqlalchemy.exc.IntegrityError: duplicate key value violates unique constraint "uq_member_email"',
  28: "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in position 14 of customers_fr.csv",
  39: 'redis.exceptions.TimeoutError: Timeout reading from the rate limiter at cache-2:6379',
  48: "ModuleNotFoundError: No module named 'geoip_lite', which map_visitors needs",
}

/** Sixty stacks; five of them of something else than a request that timed out. */
export function traces(name) {
  const next = random(name === 'node' ? 61 : 67)
  const once = name === 'node' ? NODE : PYTHON
  const stacks = Array.from({ length: 60 }, (_, at) => {
    const unit = ['orders', 'members', 'search', 'media', 'reports'][next(5)]
    const frames = Array.from({ length: 6 + next(5) }, () => FRAMES[next(FRAMES.length)])
    if (name === 'node') {
      const message = once[at] ?? `Error: request ${next(90_000)} timed out after 30000 ms`
      return [
        message,
        ...frames.map(
          (frame) =>
            `    at ${frame} (/srv/app/${unit}/${frame.split('.')[0].toLowerCase()}.js:${next(400)}:${next(60)})`,
        ),
      ].join('\n')
    }
    const message = once[at] ?? `TimeoutError: request ${next(90_000)} took longer than 30 s`
    const lines = frames.map(
      (frame) =>
        `  File "/srv/app/${unit}/${frame.split('.')[0].toLowerCase()}.py", line ${next(400)}, in ${frame.split('.')[1]}\n    return self.${frame.split('.')[1]}(request)`,
    )
    return ['Traceback (most recent call last):', ...lines, message].join('\n')
  })
  return stacks.join('\n\n')
}

const CITIES = ['Rotterdam', 'Lyon', 'Gdansk', 'Porto', 'Turku', 'Graz', 'Bilbao', 'Aarhus']
const GOODS = ['desk lamp', 'office chair', 'standing desk', 'monitor arm', 'cable tray', 'footrest', 'whiteboard']
const NOTES = {
  101: 'leave the parcel with the neighbour on the second floor',
  333: 'invoice must show the purchase number PO-77120',
  512: 'customer asked for the cancellation after the lamp arrived broken',
  640: 'deliver before the fair on 12 September',
  801: 'paid twice, refund of 149.90 is pending',
}

export function orders(count) {
  const next = random(71)
  const rows = Array.from({ length: count }, (_, at) => {
    const note = NOTES[at] ?? ['', 'gift', 'call before delivery', 'no note'][next(4)]
    return `${100_000 + at},2024-0${1 + next(9)}-${pad(1 + next(28))},${CITIES[next(8)]},${GOODS[next(7)]},${1 + next(5)},${(9 + next(40_000) / 100).toFixed(2)},"${note}"`
  })
  return ['order,date,city,item,count,price,note', ...rows].join('\n')
}
