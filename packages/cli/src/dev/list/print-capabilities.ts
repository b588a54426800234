import { columns } from '../../terminal/columns.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type InputField, inputFields } from './input-fields.ts'
import type { ListedCapability } from './listed-capability.ts'

/** Each capability with what it says about itself and the fields of its input. */
export function printCapabilities(terminal: Terminal, capabilities: readonly ListedCapability[]): void {
  const { bold, dim, yellow } = terminal.colors
  for (const capability of capabilities) {
    const flags = flagsOf(capability)
    terminal.detail(`${bold(capability.name)} ${dim(capability.version)}${flags ? `  ${yellow(flags)}` : ''}`)
    if (capability.description) terminal.detail(`  ${capability.description.replace(/\s+/g, ' ')}`)
    for (const line of fieldLines(capability)) terminal.detail(`    ${line}`)
  }
  if (capabilities.length > 0) terminal.detail()
}

function flagsOf(capability: ListedCapability): string {
  const { deprecatedSince, removalNotBefore } = capability
  const removal = removalNotBefore === null ? '' : `, not removed before ${removalNotBefore}`
  return [
    ...(capability.requiresEndUser ? ['requires an end user'] : []),
    ...(capability.permissions.length > 0 ? [`permissions: ${capability.permissions.join(', ')}`] : []),
    ...(capability.deprecated ? [`deprecated since ${deprecatedSince ?? 'now'}${removal}`] : []),
  ].join(' · ')
}

function fieldLines({ inputSchema }: ListedCapability): string[] {
  if (inputSchema === null) return ['no input schema: the model is told that it takes no parameters']
  const fields = inputFields(inputSchema)
  return columns(
    fields.map(({ path, type, description }: InputField) => [path, [type, description].filter(Boolean).join('  ')]),
  )
}
