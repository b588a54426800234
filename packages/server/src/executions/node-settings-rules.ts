/** Settings that all replicas should share, by the names of their variables, but for defaults. None of them is a secret. */
export type NodeSettings = Readonly<Record<string, string | number | boolean>>

export interface SettingDifference {
  setting: string
  here: string | number | boolean
  there: string | number | boolean
}

const DEFAULT = 'default'

/** Settings whose values differ; `stored` is null for a node of a release that did not store them. */
export function differingSettings(own: NodeSettings, stored: string | null): SettingDifference[] {
  if (stored === null) return []
  const other: NodeSettings = JSON.parse(stored)
  return Object.keys({ ...own, ...other })
    .map((setting) => ({ setting, here: own[setting] ?? DEFAULT, there: other[setting] ?? DEFAULT }))
    .filter(({ here, there }) => here !== there)
}
