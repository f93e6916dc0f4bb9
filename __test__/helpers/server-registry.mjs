// A session that has begun, before a capability is missing.
import { router } from './router.mjs'

/** A started session with three tools of the filesystem attached. */
export async function started(settings = {}) {
  const session = router.openSession({ settings: { threshold: 5, initialK: 3, searchK: 4, ...settings } })
  await session.start('read a file and list the directory')
  return session
}
