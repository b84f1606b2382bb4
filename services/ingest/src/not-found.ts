import { Fault } from '@attache/contracts';

// A thing that does not exist and a thing that the caller may not know of get the same answer.

export const sessionNotFound = (): Fault => new Fault('SESSION_NOT_FOUND', 'There is no such session.');

export const agentNotFound = (): Fault => new Fault('AGENT_NOT_FOUND', 'There is no such agent in this session.');

export const attachmentNotFound = (): Fault => new Fault('ATTACHMENT_NOT_FOUND', 'There is no such attachment.');

export const messageNotFound = (): Fault => new Fault('MESSAGE_NOT_FOUND', 'There is no such message.');

export const deliveryNotFound = (): Fault => new Fault('DELIVERY_NOT_FOUND', 'There is no such delivery.');

export const secretNotFound = (): Fault => new Fault('SECRET_NOT_FOUND', 'There is no such secret.');

export const grantNotFound = (): Fault => new Fault('GRANT_NOT_FOUND', 'There is no such grant in this session.');
