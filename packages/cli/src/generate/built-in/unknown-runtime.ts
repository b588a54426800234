/** Why a file that tells addresses of a runtime is not written while nobody has said which runtime it is. */
export function unknownRuntime(file: string): string {
  return `${file} tells the runtime’s addresses, and the runtime is not known yet: it is written by the next “svc deploy”, or with SVC_RUNTIME_ID set.`
}
