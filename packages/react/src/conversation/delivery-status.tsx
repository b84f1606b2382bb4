import type { Client } from '@attache/client';
import { Icon, type IconName } from '../parts/icon.tsx';
import { IconButton } from '../parts/icon-button.tsx';
import { Reason } from '../parts/reason.tsx';
import { useWords } from '../provider/context.ts';
import { useDelivery } from '../session/use-delivery.ts';

export type DeliveryStatusProps = {
  deliveryId: string;
  /** Name of the agent. */
  agent: string;
  /** As in `useDelivery`. */
  revision?: string | number;
  client?: Client;
};

const ICONS: Partial<Record<string, IconName>> = { responded: 'check', failed: 'warning', cancelled: 'close' };

/** How far a delivery came, why it failed, and the ways to cancel it or try it again. */
export function DeliveryStatus({ deliveryId, agent, ...options }: DeliveryStatusProps) {
  const { strings, say } = useWords();
  const { delivery, words, reason, hasEnded, ...act } = useDelivery(deliveryId, { agent, ...options });
  if (!delivery) return null;
  const action = !hasEnded ? 'cancel' : delivery.failure?.retryable ? 'retry' : undefined;
  return (
    <p data-attache-part="delivery" data-attache-status={delivery.status}>
      <Icon name={ICONS[delivery.status] ?? 'send'} />
      <span>
        {words}
        <Reason text={reason} />
      </span>
      {action && (
        <IconButton
          part={`${action}-delivery`}
          icon={action === 'cancel' ? 'stop' : 'retry'}
          label={say(strings[`${action}Delivery`], { agent })}
          onClick={() => void act[action]()}
        />
      )}
    </p>
  );
}
