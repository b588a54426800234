import { announcedRemoval } from '../../terminal/announced-removal.ts'
import { columns } from '../../terminal/columns.ts'
import { bold, dim, yellow } from '../../terminal/piece.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type InputField, inputFields } from './input-fields.ts'
import type { ListedCapability } from './listed-capability.ts'

/** Each capability with what it says about itself and the fields of its input. */
export function printCapabilities(terminal: Terminal, capabilities: readonly ListedCapability[]): void {
  for (const capability of capabilities) {
    const flags = flagsOf(capability)
    terminal.detail(bold(capability.name), ' ', dim(capability.version), yellow(flags && `  ${flags}`))
    if (capability.description) terminal.detail(`  ${capability.description.replace(/\s+/g, ' ')}`)
    for (const line of inputLines(capability)) terminal.detail(`    ${line}`)
  }
  if (capabilities.length > 0) terminal.detail()
}

function flagsOf(capability: ListedCapability): string {
  return [
    ...(capability.requiresEndUser ? ['requires an end user'] : []),
    ...(capability.permissions.length > 0 ? [`permissions: ${capability.permissions.join(', ')}`] : []),
    ...(capability.deprecated ? [`deprecated ${announcedRemoval(capability)}`] : []),
  ].join(' · ')
}

function inputLines({ inputSchema }: ListedCapability): string[] {
  if (inputSchema === null) return ['no input schema: the model is told that it takes no parameters']
  const fields = inputFields(inputSchema)
  return columns(
    fields.map(({ path, type, description }: InputField) => [path, [type, description].filter(Boolean).join('  ')]),
  )
}
