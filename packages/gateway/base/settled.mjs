// Waiting, and not for ever.

/** Whether a promise settles within a time. */
export async function settled(promise, ms) {
  let timer
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ms, false)))
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
