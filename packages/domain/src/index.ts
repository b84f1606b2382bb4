export { decideInspection, type InspectionFact } from './attachment/decide-inspection.ts';
export { anthropicImageTypes, apiRows } from './catalog/api-rows.ts';
export {
  asText,
  type CarriedKind,
  type CarriedWay,
  type Catalog,
  type ModelRow,
  notCarried,
  type TransportRow,
} from './catalog/catalog-row.ts';
export { checkCatalog, nameOfModel, nameOfTransport } from './catalog/check-catalog.ts';
export { describeContradiction, type FindingCounts, isContradicted } from './catalog/contradict.ts';
export { findModelRow, findTransportRow, matchesModel, programNameOf } from './catalog/find-row.ts';
export { modelRows } from './catalog/model-rows.ts';
export { dropUnusedPacks, isScattered, pushExtent } from './checkpoint/join-extents.ts';
export type { Extent, KeptFile, KeptFiles } from './checkpoint/kept-file.ts';
export { askToInterrupt, decideDelivery, requireDecision } from './delivery/decide-delivery.ts';
export type { Changes, Decision, DeliveryMessage } from './delivery/delivery-decision.ts';
export type { DeliveryFact } from './delivery/delivery-fact.ts';
export type { DeliveryState } from './delivery/delivery-state.ts';
export { explainEnd, type RequestEnd } from './delivery/explain-end.ts';
export type { LeftBefore } from './delivery/next-attempt.ts';
export { deliveryTransitions } from './delivery/plan-transitions.ts';
export { prepareAtOnce } from './delivery/prepare-at-once.ts';
export { classifyMediaType, isActiveMediaType, isInlineSafe } from './file-type/classify-media-type.ts';
export { describePageGaps, isLostPage, readPageGaps } from './file-type/describe-page-gaps.ts';
export { describeTypeDifference } from './file-type/describe-type-difference.ts';
export { rulesOf } from './file-type/kind-rules.ts';
export { claimTextType, type FileClaims, labelFile } from './file-type/label-file.ts';
export { unifyMediaType } from './file-type/media-type-spellings.ts';
export { nameMediaType } from './file-type/name-media-type.ts';
export { findLabel } from './file-type/text/text-decoder.ts';
export { decideToolCall, idsToLookUp, TOOL_CALL_DENIED } from './gate/decide-tool-call.ts';
export { type ScanOutcome, scanArguments } from './gate/scan-arguments.ts';
export { type ScanLimits, scanLimits } from './gate/scan-limits.ts';
export { extensionOf, markTaken, typeOfTaken } from './media/describe-taken.ts';
export { mayHoldFiles } from './media/may-hold-files.ts';
export {
  createMediaStrip,
  type MediaPiece,
  type MediaStrip,
  type MediaStripOptions,
  type TakenRun,
} from './media/strip-media.ts';
export { type TakenFile, takeOutInSteps, takeOutMedia } from './media/take-out.ts';
export { createEncodedInspection } from './passing/encoded-inspection.ts';
export {
  createPassingInspection,
  type PassingFinding,
  type PassingInspection,
} from './passing/passing-inspection.ts';
export { attachmentsOf, composePart, numberPages, referencesOf } from './plan/compose-part.ts';
export { composeAtHand, composeParts, composeWholeAtHand, needsMaking, referToBytes } from './plan/compose-parts.ts';
export { describeEarlier } from './plan/describe-attachment.ts';
export { chooseImageForm, type ImageForm } from './plan/form/choose-image-form.ts';
export { choosePageForm } from './plan/form/plan-pages.ts';
export { listRecipes } from './plan/list-recipes.ts';
export { type PlannableAttachment, type PlanRequestInput, planDelivery } from './plan/plan-delivery.ts';
export { refuseTarget } from './plan/refuse-target.ts';
export { type Held, heldNothing, measureHeld } from './plan/room/measure-held.ts';
export { byteLimitOf } from './plan/room/room.ts';
export { base64Bytes } from './plan/room/transport-size.ts';
export { describeAside, describeDropped, describeReplacement } from './quarantine/describe-replacement.ts';
export { type Noted, type NotedRequest, noteRequest } from './quarantine/note-request.ts';
export {
  beginQuarantine,
  forget,
  listReplacements,
  type Quarantined,
  type QuarantineState,
  type Replacement,
} from './quarantine/quarantine-state.ts';
export type { PictureLimit, Refusal, RefusalApi, RefusalMeaning } from './quarantine/refusal-meaning.ts';
export {
  type AsidePart,
  type AsideReason,
  chooseAside,
  type FullRequest,
  type RequestLimits,
} from './quarantine/set-aside.ts';
export { listSentPictures } from './quarantine/wire-files.ts';
export { holdsConversation } from './receipt/holds-conversation.ts';
export { judgeWire } from './receipt/judge-wire.ts';
export { type DroppedFile, listDropped } from './receipt/list-dropped.ts';
export { type Finding, type JudgedItem, listFindings } from './receipt/list-findings.ts';
export { matchItems } from './receipt/match-items.ts';
export { measureResent } from './receipt/measure-resent.ts';
export { findHistory, listNewBlocks } from './receipt/new-blocks.ts';
export {
  isAccepted,
  isRefusedForContent,
  type SentItem,
  type WireBlock,
  type WireRequest,
  type WireTurn,
  type WireVerdict,
} from './receipt/wire-facts.ts';
export { type ComposedHistory, composeHistory, countLeftOut, countMessages } from './replay/compose-history.ts';
export { countKept } from './replay/count-kept.ts';
export { foldLog } from './replay/fold-log.ts';
export { type HistoryRoom, MAX_HISTORY_CHARACTERS, measureHistoryRoom } from './replay/history-room.ts';
export { type LogRecords, listNames, type RecordedAttachment } from './replay/log-records.ts';
export { type ReadEvent, readEvent, readLog, type StoredEvent } from './replay/read-event.ts';
export { type HistoryPiece, type HistoryTurn, type ReplayRequest, replayLog } from './replay/replay-log.ts';
export { checkOverride } from './target/check-override.ts';
export { listAccepted } from './target/list-accepted.ts';
export {
  allowsOwnTools,
  type PermissionDefault,
  type PermissionMode,
  permissionModeOf,
} from './target/permission-mode.ts';
export { type CapabilityRequest, resolveCapability } from './target/resolve-capability.ts';
export { resolveTarget, type TargetFault, type TargetOutcome } from './target/resolve-target.ts';
export { announceAttachments } from './text/marker.ts';
export { redactDiagnostic, redactText } from './text/redact.ts';
export { sanitizeName } from './text/sanitize-name.ts';
