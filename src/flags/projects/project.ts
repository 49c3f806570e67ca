// The types of projects and environments.

interface ClientSideAvailability {
  usingEnvironmentId: boolean;
  usingMobileKey: boolean;
}

/** Values of new flags for fields that the request omits. */
export interface FlagDefaults {
  tags: string[];
  temporary: boolean;
  booleanDefaults: {
    trueDisplayName: string;
    falseDisplayName: string;
    trueDescription: string;
    falseDescription: string;
    /** Indexes: 0 is true, 1 is false. */
    onVariation: number;
    offVariation: number;
  };
}

export interface NamingConvention {
  case?: 'none' | 'camelCase' | 'upperCamelCase' | 'snakeCase' | 'kebabCase' | 'constantCase';
  prefix?: string;
}

export interface Project {
  id: string;
  key: string;
  name: string;
  tags: string[];
  includeInSnippetByDefault: boolean;
  defaultClientSideAvailability: ClientSideAvailability;
  flagDefaults: FlagDefaults;
  namingConvention?: NamingConvention;
  version: number;
  createdAt: number;
}

export type NewProject = Omit<Project, 'id' | 'version' | 'createdAt'>;

/** Which changes need a review, and by how many reviewers. */
export interface ApprovalSettings {
  required: boolean;
  bypassApprovalsForPendingChanges: boolean;
  minNumApprovals: number;
  canReviewOwnRequest: boolean;
  canApplyDeclinedChanges: boolean;
  autoApplyApprovedChanges: boolean;
  serviceKind: string;
  serviceConfig: Record<string, unknown>;
  /** Only flags with one of these tags need it; not together with `required`. */
  requiredApprovalTags: string[];
}

/** A replaced key, which works until this time. */
export interface RetiredKey {
  key: string;
  until: number;
}

export interface Environment {
  id: string;
  projectId: string;
  key: string;
  name: string;
  tags: string[];
  critical: boolean;
  color: string;
  /** In minutes. */
  defaultTtl: number;
  secureMode: boolean;
  defaultTrackEvents: boolean;
  requireComments: boolean;
  confirmChanges: boolean;
  /** For flags. */
  approvalSettings: ApprovalSettings;
  /** For other resources with approvals; absent if never set. */
  resourceApprovalSettings?: { segment?: ApprovalSettings };
  sdkKey: string;
  oldSdkKey?: RetiredKey;
  mobileKey: string;
  oldMobileKey?: RetiredKey;
  /** Not secret: browsers contain it. */
  clientId: string;
  oldClientId?: RetiredKey;
  version: number;
  createdAt: number;
}

/** The fields that are stored in the JSON document, not in columns. */
export type EnvironmentDoc = Omit<
  Environment,
  | 'id'
  | 'projectId'
  | 'key'
  | 'name'
  | 'tags'
  | 'critical'
  | 'sdkKey'
  | 'oldSdkKey'
  | 'mobileKey'
  | 'oldMobileKey'
  | 'clientId'
  | 'oldClientId'
  | 'version'
  | 'createdAt'
>;

export type NewEnvironment = EnvironmentDoc &
  Pick<Environment, 'projectId' | 'key' | 'name' | 'tags' | 'critical'>;
