// Numbers for people.

/** `12345` as `12,345`, whatever the machine's language is. */
export function count(number) {
  return Math.round(number).toLocaleString('en')
}

/** `0.9712` as `97.1 %`. Cut, not rounded: it never says more than was saved. */
export function percent(share) {
  return `${(Math.floor(share * 1000) / 10).toFixed(1)} %`
}
