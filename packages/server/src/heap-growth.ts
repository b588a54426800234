import { setFlagsFromString } from 'node:v8'

/**
 * Has the heap collected whenever it has grown by half. By itself V8 lets it grow severalfold, so that long answers of a
 * few seconds ago would still be in memory; what is gained by waiting is little, as nearly all of a request dies young.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=50')
}
