/** Where the shop’s own pages are, for links into them. */
export interface ShopSite {
  /** Without a slash at its end; null where there are no pages, or not yet. */
  url(): string | null
}

export const NO_SITE: ShopSite = { url: () => null }
