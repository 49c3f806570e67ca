// Settings of the person who is logged in.
import '../../styles/settings-page.css';
import { useMe } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { ExternalCard } from './settings-external.tsx';
import { FactorCard } from './settings-factor.tsx';
import { LookCard } from './settings-look.tsx';
import { PASSWORD_FIELD, PasswordCard } from './settings-password.tsx';
import { ProfileCard } from './settings-profile.tsx';
import { useHasPassword } from './settings-queries.ts';
import { SessionsSection } from './settings-sessions.tsx';
import { PASSWORD, SETTINGS } from './settings-words.ts';

export default function SettingsPage() {
  usePageInfo([{ label: SETTINGS.account }, { label: SETTINGS.title }]);
  const { data: me, error, refetch } = useMe();
  const hasPassword = useHasPassword(me);
  return (
    <main id="main" className="page page--mid" tabIndex={-1}>
      <PageHead title={SETTINGS.title} meta={SETTINGS.text} />
      <div className="stack stack--24">
        {hasPassword === false && (
          <Banner
            tone="warn"
            icon="lock"
            action={
              <Button size="sm" onClick={focusPassword}>
                {PASSWORD.toForm}
              </Button>
            }
          >
            {PASSWORD.none}
          </Banner>
        )}
        {me === undefined && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
        {me === undefined && error === null && <Skeleton rows={8} />}
        {me !== undefined && (
          <div className="set__cols">
            <div className="stack stack--16">
              <ProfileCard me={me} />
              <PasswordCard username={me.member.username} hasPassword={hasPassword} />
            </div>
            <div className="stack stack--16">
              <FactorCard hasPassword={hasPassword} />
              <ExternalCard hasPassword={hasPassword} />
              <LookCard />
            </div>
          </div>
        )}
        <SessionsSection />
      </div>
    </main>
  );
}

function focusPassword(): void {
  document.querySelector<HTMLElement>(`[data-field="${PASSWORD_FIELD}"]`)?.focus();
}
