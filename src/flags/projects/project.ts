// What a project and an environment are, to all resources inside of them.

export interface ClientSideAvailability {
  usingEnvironmentId: boolean;
  usingMobileKey: boolean;
}

/** What new flags of a project get where their maker says nothing. */
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

/** Changes of what kind need a review before they happen, and by how many. */
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

/** One that was replaced, and is good until then. */
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
  /** For what else has approvals; absent where they were never set. */
  resourceApprovalSettings?: { segment?: ApprovalSettings };
  sdkKey: string;
  oldSdkKey?: RetiredKey;
  mobileKey: string;
  oldMobileKey?: RetiredKey;
  /** No secret: browsers show it. */
  clientId: string;
  oldClientId?: RetiredKey;
  version: number;
  createdAt: number;
}

/** What is kept as a document, not in columns. */
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
