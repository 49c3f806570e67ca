// The security features of repositories: code scanning is always there, others are not, and none can be switched.
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';

type FeatureStatus = 'enabled' | 'disabled';

const FEATURES: Record<string, FeatureStatus> = {
  advanced_security: 'enabled',
  code_security: 'enabled',
  dependabot_security_updates: 'disabled',
  secret_scanning: 'disabled',
  secret_scanning_push_protection: 'disabled',
  secret_scanning_non_provider_patterns: 'disabled',
  secret_scanning_ai_detection: 'disabled',
  secret_scanning_delegated_alert_dismissal: 'disabled',
  secret_scanning_delegated_bypass: 'disabled',
};

const Feature = Type.Object({ status: Type.Optional(Type.String({ enum: ['enabled', 'disabled'] })) });

export const SecurityAndAnalysis = Type.Object(
  Object.fromEntries(Object.keys(FEATURES).map((name) => [name, Type.Optional(Feature)])),
  {
    $id: 'security-and-analysis',
    description: 'Code scanning is always enabled, and what this server does not have is always disabled',
  },
);

export const SECURITY_AND_ANALYSIS: Static<typeof SecurityAndAnalysis> = Object.fromEntries(
  Object.entries(FEATURES).map(([name, status]) => [name, { status }]),
);

/** A setting that has no effect must not be accepted: somebody would rely on a scan that never happens. */
export function checkSecurityFeatures(sent: Static<typeof SecurityAndAnalysis>): void {
  for (const [name, feature] of Object.entries(sent)) {
    const status = (feature as Static<typeof Feature>).status;
    const actual = FEATURES[name];
    if (status !== undefined && actual !== undefined && status !== actual)
      throw problem(
        `security_and_analysis.${name}.status`,
        `is always ${actual}: ${actual === 'enabled' ? 'it cannot be switched off' : 'this server does not have it'}`,
      );
  }
}
