// The program of a terminal in which the user logs in to a remote server: the gateway's own login, which it keeps.

import process from 'node:process'

import { runLogin } from '@zoo-code/tool-router-gateway/login'

const [config = '', name = ''] = process.argv.slice(2)
runLogin({ config }, name, (line) => console.log(line)).then(
  (exitCode) => process.exit(exitCode),
  (error) => {
    console.error(error.message)
    process.exit(1)
  },
)
