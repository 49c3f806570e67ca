import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { ChangeError } from '../ui/change-error.tsx';
import { EmptyState, ErrorState, NoPermission, Skeleton } from '../ui/states.tsx';
import { nothing, Sample } from './sample.tsx';

export function PageStates() {
  return (
    <>
      <Sample name="Loading" isStack>
        <Skeleton lines={4} />
        <Skeleton rows={3} />
        <Skeleton shape="tile" />
      </Sample>
      <EmptyState
        icon="cal"
        title="No schedules yet"
        text="A schedule starts an Actor or a task at set times."
        action={
          <Button tone="primary" icon="plus">
            New schedule
          </Button>
        }
        command={'signalbox schedules create --cron "0 3 * * *"'}
      />
      <EmptyState icon="check" tone="ok" title="All clear" text="Nothing waits for you." />
      <ErrorState
        error={{ message: 'Database did not answer in 5 s.', requestId: 'req_71c0f2' }}
        onRetry={nothing}
      />
      <ChangeError
        error={{
          message: 'You may not turn flags on here.',
          access: { action: 'updateOn', resource: 'proj/shop:env/production:flag/dark-mode' },
          requestId: 'req_71c0f2',
        }}
      />
      <ChangeError
        error={{ message: 'The key is taken.', help: '/docs/errors#conflict', requestId: 'req_71c0f3' }}
      />
      <NoPermission
        action="readTokens"
        resource="account"
        grantors="Jon Weber or any administrator can give it."
      />
      <Banner>The server was upgraded; reload to use the new console.</Banner>
      <Banner tone="warn" action={<Button size="sm">Renew</Button>} onDismiss={nothing}>
        The token ci-deploy expires in 6 days.
      </Banner>
      <Banner tone="bad">Not saved: someone changed rule 1.</Banner>
      <Banner tone="neutral">Nothing here is fetched from elsewhere.</Banner>
    </>
  );
}
