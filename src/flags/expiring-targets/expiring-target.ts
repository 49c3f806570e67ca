// The type of an expiring target: a context that is a target of a flag or a segment up to a given time.

export type ResourceKind = 'flag' | 'segment';

/** The flag or segment, in one environment. */
export interface Owner {
  resourceKind: ResourceKind;
  resourceId: string;
  environmentId: string;
}

export interface ExpiringTarget extends Owner {
  id: string;
  /** The ID of a variation, or `included` or `excluded`. A context has one expiry per flag or segment. */
  place: string;
  contextKind: string;
  contextKey: string;
  expiresAt: number;
  version: number;
}
