import type { PrometheusMetrics } from './prometheus-metrics.ts'

/** Metrics for Prometheus. Its library takes its memory, and its timers, only where somebody reads them. */
export async function openMetrics(): Promise<PrometheusMetrics> {
  const { createPrometheusMetrics } = await import('./prometheus-metrics.ts')
  return createPrometheusMetrics()
}
