import type { ReactNode } from 'react'
import { SelectField } from '../../ui/field.tsx'
import { ROLES, type Role } from '../role.ts'

/** One of the roles, and what it may do. */
export function RoleField({ value, onChange }: { value: Role; onChange: (role: Role) => void }): ReactNode {
  return (
    <SelectField
      label="Role"
      name="role"
      value={value}
      hint={ROLES.find(({ role }) => role === value)?.may}
      onChange={({ target }) => {
        const chosen = ROLES.find(({ role }) => role === target.value)
        if (chosen) onChange(chosen.role)
      }}
    >
      {ROLES.map(({ role, name }) => (
        <option key={role} value={role}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
