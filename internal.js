'use strict'
// The router as the gateway and the programs call it: the same classes, with members of which nothing is promised.
module.exports = require('./index.js')
