# Undirected graph
0 1
0 2
1 2
1 3
2 4
3 5
4 5
