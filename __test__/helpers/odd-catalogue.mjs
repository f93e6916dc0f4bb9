// What a change of the catalogue was, in short.

export const ids = (list) => list.map(({ serverName, toolName }) => `${serverName}/${toolName}`)

export const summary = (change) => ({
  added: ids(change.added),
  changed: ids(change.changed),
  removed: ids(change.removed),
  unchanged: change.unchanged,
  refused: change.refused.map(({ serverName, toolName, position }) => `${serverName}/${toolName}@${position}`),
})
