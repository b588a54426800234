import type { Engine } from '../arguments.ts'
import type { TextEdit } from '../server-copy.ts'

/** A known bug, and the scenario that has to find it. */
export interface Plant {
  name: string
  /** The promise that it breaks. */
  breaks: string
  edits: readonly [TextEdit, ...TextEdit[]]
  foundBy: {
    scenario: string
    engine: Engine
    /** Of a full run: enough to find it every time, within about a minute where no lease has to run out. */
    scale: number
    /** How the check that is there for it begins: that one has to fail. */
    check: string
  }
}
