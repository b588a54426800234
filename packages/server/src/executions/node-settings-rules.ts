/** Settings that all replicas should share, by the names of their variables, without defaults and secrets. */
export type NodeSettings = Readonly<Record<string, string | number | boolean>>

const DEFAULT = 'default'

/** The settings that differ from those of another node, which are JSON text; null where that node stored none. */
export function differingSettings(own: NodeSettings, stored: string | null) {
  const other: NodeSettings = stored === null ? own : JSON.parse(stored)
  return Object.keys({ ...own, ...other })
    .map((setting) => ({ setting, here: own[setting] ?? DEFAULT, there: other[setting] ?? DEFAULT }))
    .filter(({ here, there }) => here !== there)
}
