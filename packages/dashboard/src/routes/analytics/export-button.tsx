import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { type CsvValue, toCsv } from './csv.ts'
import { saveFile } from './save-file.ts'

interface ExportButtonProps {
  file: string
  headings: readonly string[]
  rows: () => readonly (readonly CsvValue[])[]
}

export function ExportButton({ file, headings, rows }: ExportButtonProps): ReactNode {
  return (
    <Button size="small" aria-label={`Save ${file}`} onClick={() => saveFile(file, toCsv(headings, rows()))}>
      <Download aria-hidden="true" className="size-4" />
      CSV
    </Button>
  )
}
