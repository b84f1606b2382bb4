/* An ACP agent that answers every prompt at once: one line of JSON in, one or two out. Its size is what a gateway's own cost is measured beside. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *INITIALIZED =
    "{\"protocolVersion\":1,\"agentCapabilities\":{\"promptCapabilities\":{\"embeddedContext\":true,\"image\":true}},\"authMethods\":[]}";
static const char *UPDATE =
    "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":"
    "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"done\"}}}}";

/* The id as it stands in the request. Its first one is the request's own: the client writes params last. */
static int read_id(const char *line, char *id, size_t size) {
    const char *at = strstr(line, "\"id\":");
    size_t length = 0;
    if (at == NULL) return 0;
    at += 5;
    while (at[length] != '\0' && at[length] != ',' && at[length] != '}' && length + 1 < size) length++;
    memcpy(id, at, length);
    id[length] = '\0';
    return 1;
}

static int is_method(const char *line, const char *name) {
    const char *at = strstr(line, "\"method\":\"");
    return at != NULL && strncmp(at + 10, name, strlen(name)) == 0 && at[10 + strlen(name)] == '"';
}

static void answer(const char *id, const char *result) {
    printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", id, result);
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    char id[128];
    while (getline(&line, &size, stdin) > 0) {
        if (!read_id(line, id, sizeof id)) continue;
        if (is_method(line, "initialize")) answer(id, INITIALIZED);
        else if (is_method(line, "session/new")) answer(id, "{\"sessionId\":\"s\"}");
        else if (is_method(line, "session/prompt")) {
            printf("%s\n", UPDATE);
            answer(id, "{\"stopReason\":\"end_turn\"}");
        } else printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32601,\"message\":\"unknown\"}}\n", id);
        fflush(stdout);
    }
    free(line);
    return 0;
}
