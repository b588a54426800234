/** Where the dashboard shows a runtime; its list of runtimes where none is known. `baseUrl` has no slash at its end. */
export function dashboardUrl(baseUrl: string, runtimeId: string | null): string {
  return `${baseUrl}/dashboard/runtimes${runtimeId === null ? '' : `/${runtimeId}`}`
}
